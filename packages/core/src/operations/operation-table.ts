import type { OperationEntry } from './pair.ts';
import { apiEntries } from './table/apis.ts';
import { batchEntries } from './table/batches.ts';
import { creditsEntries } from './table/credits.ts';
import { cronEntries } from './table/crons.ts';
import { dashboardEntries } from './table/dashboard.ts';
import { databaseEntries } from './table/databases.ts';
import { extractionEntries } from './table/extraction.ts';
import { healthEntries } from './table/health.ts';
import { jobEntries } from './table/jobs.ts';
import { pageEntries } from './table/pages.ts';
import { parserEntries } from './table/parsers.ts';
import { webhookEntries } from './table/webhooks.ts';
import { workflowEntries } from './table/workflows.ts';

/** All operations with their functions. All doors share this table. */
export const operationTable: readonly OperationEntry[] = [
  ...extractionEntries,
  ...parserEntries,
  ...databaseEntries,
  ...webhookEntries,
  ...apiEntries,
  ...jobEntries,
  ...batchEntries,
  ...pageEntries,
  ...healthEntries,
  ...workflowEntries,
  ...cronEntries,
  ...creditsEntries,
  ...dashboardEntries,
];
