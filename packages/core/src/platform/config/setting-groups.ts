import { DEFAULT_BOT_NAME } from '@gleaner/contracts/values';
import { z } from 'zod';
import { count, setting, url, words } from './setting.ts';

/** The mail server of alerts. */
export const MAIL_SETTINGS = {
  smtpUrl: setting(
    'GLEANER_SMTP_URL',
    url(['smtp', 'smtps']).optional(),
    'Mail server for alerts by e-mail: smtps://user:password@mail.example.com. With smtp://, STARTTLS is used where the server offers it.',
    'none: no e-mail is sent',
  ),
  smtpFrom: setting(
    'GLEANER_SMTP_FROM',
    z.email().optional(),
    'Sender of these e-mails.',
    'gleaner@ and the host of GLEANER_SMTP_URL',
  ),
};

/** Where kept pages, screenshots and PDFs are, and for how long. */
export const BLOB_SETTINGS = {
  fileDays: setting(
    'GLEANER_FILE_DAYS',
    count(1, 365).default(7),
    'Days for which screenshots and PDFs can be read at their address.',
  ),
  accountBytes: setting(
    'GLEANER_ACCOUNT_BYTES',
    count(0, Number.MAX_SAFE_INTEGER).default(10_000_000_000),
    'Maximum bytes that one account stores: parsers, samples, results, tables, kept pages and all else.',
  ),
  databaseDisk: setting(
    'GLEANER_DATABASE_DISK',
    z.string().min(1).optional(),
    'Folder on the disk of an external Postgres, if the scheduler sees it. Nothing is stored while less than 5 % is free.',
    'that of the embedded Postgres',
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

/** Postgres, Redis, and how many connections each process may open. */
export const CONNECTION_SETTINGS = {
  databaseUrl: setting(
    'DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'Postgres that holds everything, version 18 or newer.',
    'embedded Postgres',
  ),
  directDatabaseUrl: setting(
    'GLEANER_DIRECT_DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'Direct address of the same Postgres, when DATABASE_URL goes through a pooler in transaction mode (docs/operate/deploy.md).',
    'DATABASE_URL',
  ),
  redisUrl: setting(
    'REDIS_URL',
    url(['redis', 'rediss']).optional(),
    'Redis for the queues and rate limits.',
    'BullMQ on Postgres',
  ),
  apiConnections: setting(
    'GLEANER_API_CONNECTIONS',
    count(2, 1000).default(16),
    'Maximum connections to Postgres of an API process.',
  ),
  workerConnections: setting(
    'GLEANER_WORKER_CONNECTIONS',
    count(2, 1000).default(6),
    'Maximum connections to Postgres of a worker. Half of them serve batches only.',
  ),
  schedulerConnections: setting(
    'GLEANER_SCHEDULER_CONNECTIONS',
    count(2, 1000).default(4),
    'Maximum connections to Postgres of a scheduler, besides two: one chooses the leader, one watches read-only logins.',
  ),
  queueConnections: setting(
    'GLEANER_QUEUE_CONNECTIONS',
    count(1, 1000).default(4),
    'Without Redis: maximum further connections of each of these processes for its queues, besides one that listens.',
  ),
} as const;

/** Signatures by a private key that only the issuer has. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');

/** OAuth access tokens at `/mcp`. */
export const OAUTH_SETTINGS = {
  oauthIssuer: setting(
    'GLEANER_OAUTH_ISSUER',
    url(['http', 'https']).optional(),
    'Issuer of the OAuth access tokens that open `/mcp`, exactly as in their `iss`.',
    'no OAuth',
  ),
  oauthAudience: setting(
    'GLEANER_OAUTH_AUDIENCE',
    url(['http', 'https']).optional(),
    'Address of `/mcp` that clients use: the `aud` of access tokens.',
    'no OAuth',
  ),
  oauthAlgorithms: setting(
    'GLEANER_OAUTH_ALGORITHMS',
    words(ALGORITHMS, 'RS256,PS256,ES256,EdDSA'),
    'Signature algorithms of access tokens.',
  ),
  oauthJwksUrl: setting(
    'GLEANER_OAUTH_JWKS_URL',
    url(['http', 'https']).optional(),
    "Address of the issuer's public keys.",
    "as in the issuer's metadata",
  ),
} as const;

/** How crawls introduce themselves to sites, and what `/bot` says about them. */
export const BOT_SETTINGS = {
  botName: setting(
    'GLEANER_BOT_NAME',
    z
      .string()
      .regex(/^[a-zA-Z_-]{1,50}$/, 'must have 1 to 50 letters, - or _, as names in robots.txt have')
      .default(DEFAULT_BOT_NAME),
    'Name of crawls in robots.txt and in their User-Agent.',
  ),
  botContact: setting(
    'GLEANER_BOT_CONTACT',
    z.union([z.email(), url(['http', 'https'])], { error: 'must be an email address or a URL' }).optional(),
    'Email address or URL at which the owners of crawled sites reach you; the public page /bot shows it.',
    'none',
  ),
} as const;

function days(variable: string, byDefault: number, what: string) {
  return setting(variable, count(1, 3650).default(byDefault), `Days that ${what}.`);
}

/** How long records are kept. Results have a term of their own, which the API promises. */
export const RETENTION_SETTINGS = {
  maxRunDays: days('GLEANER_MAX_RUN_DAYS', 30, 'a job, batch or workflow run may take; then it is cancelled'),
  keepRunsDays: days('GLEANER_KEEP_RUNS_DAYS', 90, 'jobs and batches are listed after their end'),
  keepChangesDays: days('GLEANER_KEEP_CHANGES_DAYS', 90, 'changes of tables with history are kept'),
  keepDeliveriesDays: days('GLEANER_KEEP_DELIVERIES_DAYS', 30, 'webhook deliveries are listed'),
  keepLedgerDays: days(
    'GLEANER_KEEP_LEDGER_DAYS',
    90,
    'ledger entries are listed; older ones become sums of an account and day',
  ),
} as const;
