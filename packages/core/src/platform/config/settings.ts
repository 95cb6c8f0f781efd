import { ENGINES, PROXY_TIERS, type ProxyTier } from '@gleaner/contracts';
import { z } from 'zod';
import {
  BLOB_SETTINGS,
  BOT_SETTINGS,
  CONNECTION_SETTINGS,
  MAIL_SETTINGS,
  OAUTH_SETTINGS,
  RETENTION_SETTINGS,
} from './setting-groups.ts';
import {
  egressAllow,
  isExecutableFile,
  origins,
  proxies,
  trustedProxies,
  count,
  setting,
  url,
  words,
} from './setting.ts';

const port = z.coerce
  .number({ error: 'must be a port number' })
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65_535, 'must be at most 65535');

function proxyTier(tier: ProxyTier, shown = 'none (503)') {
  const variable = `GLEANER_PROXY_${tier.toUpperCase()}`;
  return setting(variable, proxies(variable), `Proxy URLs of the ${tier} tier.`, shown);
}

/** Every variable that Gleaner reads. The table of docs/operate/configuration.md is checked against this. */
export const SETTINGS = {
  port: setting('PORT', port.default(3000), 'Port of the API and dashboard.'),
  host: setting('HOST', z.string().min(1).default('127.0.0.1'), 'Address to listen on.'),
  publicUrl: setting(
    'GLEANER_PUBLIC_URL',
    url(['http', 'https']).optional(),
    'Base address for clients.',
    'http://HOST:PORT',
  ),
  dataDir: setting(
    'GLEANER_DATA_DIR',
    z.string().min(1).default('.gleaner'),
    'Data folder: embedded Postgres, credentials.json.',
  ),
  ...CONNECTION_SETTINGS,
  ...RETENTION_SETTINGS,
  ...MAIL_SETTINGS,
  logLevel: setting(
    'LOG_LEVEL',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'Minimum level of log lines.',
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url(['http', 'https']).optional(),
    'OpenTelemetry collector that receives traces (OTLP over HTTP).',
    'none',
  ),
  workers: setting('GLEANER_WORKERS', count(0, 64).default(1), 'Worker processes that `npm start` runs.'),
  workerQueues: setting(
    'GLEANER_WORKER_QUEUES',
    words(ENGINES, 'http,browser'),
    'Fetch engines of a worker: http, browser or both.',
  ),
  httpConcurrency: setting(
    'GLEANER_HTTP_CONCURRENCY',
    count(1, 2000).default(64),
    'Concurrent plain fetches of one worker for batches, and as many again for interactive requests.',
  ),
  browserConcurrency: setting(
    'GLEANER_BROWSER_CONCURRENCY',
    count(1, 100).optional(),
    'Open pages of one worker for batches, and half as many again for interactive requests.',
    'by memory and cores, 3 to 24',
  ),
  extractionThreads: setting(
    'GLEANER_EXTRACTION_THREADS',
    count(1, 64).optional(),
    'Threads per process that run parsers. Batches have as many of their own (default: one per core), at a lower priority.',
    'cores − 1, at least 1',
  ),
  egressAllow: setting(
    'GLEANER_EGRESS_ALLOW',
    egressAllow,
    'CIDRs or host:port that may be fetched although they are private.',
    'nothing',
  ),
  proxyDefault: proxyTier('default', 'direct'),
  proxyHighquality: proxyTier('highquality'),
  proxyPremium: proxyTier('premium'),
  proxyHardcore: proxyTier('hardcore'),
  chromiumPath: setting(
    'CHROMIUM_PATH',
    z.string().refine(isExecutableFile, 'must be the path of an executable file').optional(),
    'Path of Chromium.',
    'detected',
  ),
  hostConcurrency: setting(
    'GLEANER_HOST_CONCURRENCY',
    count(1, 10_000).optional(),
    'Limit on concurrent requests to one host, over all workers.',
    'no limit',
  ),
  hostRequestsPerSecond: setting(
    'GLEANER_HOST_REQUESTS_PER_SECOND',
    z.coerce.number({ error: 'must be a number above 0' }).positive('must be a number above 0').optional(),
    'Limit on requests per second to one host, over all workers.',
    'no limit',
  ),
  ...BOT_SETTINGS,
  corsOrigins: setting(
    'GLEANER_CORS_ORIGINS',
    origins,
    'Browser origins that may send GET and POST requests.',
    'none',
  ),
  ...OAUTH_SETTINGS,
  firecrawlDoor: setting(
    'GLEANER_FIRECRAWL_DOOR',
    z
      .enum(['0', '1'], 'must be 0 or 1')
      .default('0')
      .transform((text) => text === '1'),
    '1: Firecrawl’s interface is offered at /firecrawl/v2 (docs/use/firecrawl.md).',
    '0',
  ),
  trustProxy: setting(
    'GLEANER_TRUST_PROXY',
    trustedProxies,
    'Addresses of reverse proxies with a trusted X-Forwarded-For.',
    'none',
  ),
  publicRequestsPerMinute: setting(
    'GLEANER_PUBLIC_REQUESTS_PER_MINUTE',
    count(1, 1_000_000).default(120),
    'Limit per IP address on endpoints without a key.',
  ),
  operatorPassword: setting(
    'GLEANER_OPERATOR_PASSWORD',
    z.string().min(8, 'must have at least 8 characters').optional(),
    'Password of the operator (user `operator`) for /operator.',
    'made at first start',
  ),
  secretKey: setting(
    'GLEANER_SECRET_KEY',
    z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits (openssl rand -hex 32)')
      .optional(),
    'Key that encrypts stored secrets: connection URLs, webhook secrets, headers and cookies for pages.',
    'made at first start',
  ),
  ...BLOB_SETTINGS,
  prices: setting(
    'GLEANER_PRICES',
    z
      .string()
      .transform((text, context) => {
        try {
          return JSON.parse(text) as unknown;
        } catch {
          context.addIssue({ code: 'custom', message: 'must be JSON like {"default": [1, 5]}' });
          return z.NEVER;
        }
      })
      .pipe(z.partialRecord(z.enum(PROXY_TIERS), z.tuple([z.int().min(0), z.int().min(0)])))
      .default({}),
    'Overrides of the price table (docs/use/credits.md): {"tier": [without browser, with browser]}.',
    'none',
  ),
  pidsFile: setting(
    'GLEANER_PIDS_FILE',
    z.string().min(1).optional(),
    'File with the process ids for /metrics.',
    'set by npm start',
  ),
} as const;

type Table = typeof SETTINGS;

/** The checked values by name. */
export type Settings = { [K in keyof Table]: z.output<Table[K]['schema']> };
