import * as operations from '@gleaner/contracts';
import { backfillCron } from '../../crons/backfill-cron.ts';
import { createCron } from '../../crons/create-cron.ts';
import { deleteCron } from '../../crons/delete-cron.ts';
import { getCron, listCronRuns, listCrons, previewCron } from '../../crons/read-crons.ts';
import { triggerCron } from '../../crons/trigger-cron.ts';
import { updateCron } from '../../crons/update-cron.ts';
import { pair } from '../pair.ts';

export const cronEntries = [
  pair(operations.createCron, createCron),
  pair(operations.listCrons, listCrons),
  pair(operations.previewCron, previewCron),
  pair(operations.getCron, getCron),
  pair(operations.updateCron, updateCron),
  pair(operations.deleteCron, deleteCron),
  pair(operations.triggerCron, triggerCron),
  pair(operations.listCronRuns, listCronRuns),
  pair(operations.backfillCron, backfillCron),
];
