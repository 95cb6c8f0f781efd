import { z } from 'zod';
import { count, setting, url } from './setting.ts';

/** Where kept pages, screenshots and PDFs are, and for how long. */
export const BLOB_SETTINGS = {
  fileDays: setting(
    'GLEANER_FILE_DAYS',
    count(1, 365).default(7),
    'Days for which screenshots and PDFs can be read at their address.',
  ),
  keptBytes: setting(
    'GLEANER_KEPT_BYTES',
    count(0, Number.MAX_SAFE_INTEGER).default(1_073_741_824),
    'Maximum bytes of kept pages, screenshots and PDFs of one account.',
  ),
  s3Url: setting(
    'GLEANER_S3_URL',
    url(['http', 'https']).optional(),
    'Bucket of an S3-compatible store for kept pages, screenshots and PDFs: https://s3.example.com/bucket.',
    'stored in Postgres',
  ),
  s3Region: setting('GLEANER_S3_REGION', z.string().min(1).default('us-east-1'), 'Region of the bucket.'),
  s3AccessKey: setting(
    'GLEANER_S3_ACCESS_KEY',
    z.string().min(1).optional(),
    'Access key of a user who may read, write and delete its objects.',
    'nothing',
  ),
  s3SecretKey: setting(
    'GLEANER_S3_SECRET_KEY',
    z.string().min(1).optional(),
    'Secret key of that user.',
    'nothing',
  ),
} as const;
