import type { Services } from '../../platform/context.ts';
import type { Config } from '../../platform/config/load-config.ts';
import { postgresContents, type BlobContents } from '../blobs/blob-contents.ts';
import { createBlobStore, type BlobStore } from '../blobs/blob-store.ts';
import { createS3Contents } from '../blobs/s3-contents.ts';
import { createFileStore, type FileStore } from './file-store.ts';

export interface KeptFiles {
  files: FileStore;
  blobs: BlobStore;
}

/** Where the configuration puts the bytes of blobs. */
function openContents({ s3Url, s3Region, s3AccessKey, s3SecretKey }: Config): BlobContents {
  if (s3Url === undefined || s3AccessKey === undefined || s3SecretKey === undefined) return postgresContents;
  return createS3Contents({
    url: s3Url,
    region: s3Region,
    accessKey: s3AccessKey,
    secretKey: s3SecretKey,
  });
}

/** The configured store of files. */
export function openFileStore({ db, config }: Pick<Services, 'db' | 'config'>): KeptFiles {
  const blobs = createBlobStore({ db, quotaBytes: config.keptBytes, contents: openContents(config) });
  const baseUrl = (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/$/, '');
  return { blobs, files: createFileStore({ db, blobs, baseUrl, keptDays: config.fileDays }) };
}
