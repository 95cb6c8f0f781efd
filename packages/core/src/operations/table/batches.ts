import * as operations from '@gleaner/contracts';
import { getBatchFailures } from '../../runs/batches/batch-failures.ts';
import { getBatchResults } from '../../runs/batches/batch-results.ts';
import { cancelBatch, retryBatch } from '../../runs/batches/change-batch.ts';
import { createBatch } from '../../runs/batches/create-batch.ts';
import { exportBatch } from '../../runs/batches/export-batch.ts';
import { getBatch, listBatches, watchBatch } from '../../runs/batches/read-batches.ts';
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
