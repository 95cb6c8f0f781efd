import * as operations from '@gleaner/contracts';
import { getPage, listPages } from '../../storage/pages/read-pages.ts';
import { reparseBatch } from '../../runs/batches/reparse-batch.ts';
import { pair } from '../pair.ts';

export const pageEntries = [
  pair(operations.listPages, listPages),
  pair(operations.getPage, getPage),
  pair(operations.reparseBatch, reparseBatch),
];
