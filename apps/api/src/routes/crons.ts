import * as operations from '@gleaner/contracts';
import {
  backfillCron,
  createCron,
  deleteCron,
  getCron,
  listCronRuns,
  listCrons,
  previewCron,
  triggerCron,
  updateCron,
} from '@gleaner/core';
import { endpoint, inTurn } from '../endpoint.ts';

export const cronEndpoints = [
  endpoint(operations.createCron, createCron),
  endpoint(operations.listCrons, inTurn(listCrons)),
  endpoint(operations.previewCron, previewCron),
  endpoint(operations.getCron, getCron),
  endpoint(operations.updateCron, updateCron),
  endpoint(operations.deleteCron, deleteCron),
  endpoint(operations.triggerCron, triggerCron),
  endpoint(operations.listCronRuns, inTurn(listCronRuns)),
  endpoint(operations.backfillCron, backfillCron),
];
