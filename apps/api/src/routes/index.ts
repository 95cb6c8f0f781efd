import type { Endpoint } from '../endpoint.ts';
import { apiEndpoints } from './apis.ts';
import { batchEndpoints } from './batches.ts';
import { creditsEndpoints } from './credits.ts';
import { cronEndpoints } from './crons.ts';
import { databaseEndpoints } from './databases.ts';
import { extractionEndpoints } from './extraction.ts';
import { jobEndpoints } from './jobs.ts';
import { parserEndpoints } from './parsers.ts';
import { webhookEndpoints } from './webhooks.ts';

/** Every operation of the API. */
export const endpoints: readonly Endpoint[] = [
  ...extractionEndpoints,
  ...parserEndpoints,
  ...databaseEndpoints,
  ...webhookEndpoints,
  ...apiEndpoints,
  ...jobEndpoints,
  ...batchEndpoints,
  ...cronEndpoints,
  ...creditsEndpoints,
];
