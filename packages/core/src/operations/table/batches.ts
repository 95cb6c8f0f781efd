import * as operations from '@gleaner/contracts';
import { getBatchFailures } from '../../batches/batch-failures.ts';
import { getBatchResults } from '../../batches/batch-results.ts';
import { cancelBatch, retryBatch } from '../../batches/change-batch.ts';
import { createBatch } from '../../batches/create-batch.ts';
import { exportBatch } from '../../batches/export-batch.ts';
import { getBatch, listBatches } from '../../batches/read-batches.ts';
import { watchBatch } from '../../batches/watch-batch.ts';
import { pair } from '../pair.ts';

export const batchEntries = [
  pair(operations.createBatch, createBatch),
  pair(operations.listBatches, listBatches),
  pair(operations.getBatch, getBatch),
  pair(operations.getBatchResults, getBatchResults),
  pair(operations.getBatchFailures, getBatchFailures),
  pair(operations.exportBatch, exportBatch),
  pair(operations.watchBatch, watchBatch),
  pair(operations.cancelBatch, cancelBatch),
  pair(operations.retryBatch, retryBatch),
];
