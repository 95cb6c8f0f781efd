import * as operations from '@gleaner/contracts';
import {
  cancelBatch,
  createBatch,
  exportBatch,
  getBatch,
  getBatchFailures,
  getBatchResults,
  listBatches,
  retryBatch,
  watchBatch,
} from '@gleaner/core';
import { endpoint, inTurn } from '../endpoint.ts';

export const batchEndpoints = [
  endpoint(operations.createBatch, createBatch),
  endpoint(operations.listBatches, inTurn(listBatches)),
  endpoint(operations.getBatch, getBatch),
  endpoint(operations.getBatchResults, getBatchResults),
  endpoint(operations.getBatchFailures, getBatchFailures),
  endpoint(operations.exportBatch, exportBatch),
  endpoint(operations.watchBatch, watchBatch),
  endpoint(operations.cancelBatch, cancelBatch),
  endpoint(operations.retryBatch, retryBatch),
];
