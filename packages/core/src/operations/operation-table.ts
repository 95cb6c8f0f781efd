import type { OperationEntry } from './pair.ts';
import { apiEntries } from './table/apis.ts';
import { batchEntries } from './table/batches.ts';
import { creditsEntries } from './table/credits.ts';
import { cronEntries } from './table/crons.ts';
import { databaseEntries } from './table/databases.ts';
import { extractionEntries } from './table/extraction.ts';
import { jobEntries } from './table/jobs.ts';
import { parserEntries } from './table/parsers.ts';
import { webhookEntries } from './table/webhooks.ts';
import { workflowEntries } from './table/workflows.ts';

/** Every operation with its function: the one table that all doors share. */
export const operationTable: readonly OperationEntry[] = [
  ...extractionEntries,
  ...parserEntries,
  ...databaseEntries,
  ...webhookEntries,
  ...apiEntries,
  ...jobEntries,
  ...batchEntries,
  ...workflowEntries,
  ...cronEntries,
  ...creditsEntries,
];
