import type { Perform } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { filterRuns } from '../submission/filter-runs.ts';
import { findRun } from '../submission/find-run.ts';
import { countWays } from '../ways/count-ways.ts';
import { followRun, type WatchServices } from '../watch/follow-run.ts';
import { readBatches, readBatchRecord } from './batch-record.ts';

export const getBatch: Perform<'getBatch'> = async (ctx, { params }) => {
  const record = await readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
  if (record.scrape_config['escalate'] === undefined) return record;
  return { ...record, ways: await countWays(ctx, await findRun(ctx, 'batch', params.id)) };
};

export const listBatches: Perform<'listBatches'> = async (ctx, { query }) => {
  const { items, pagination } = await readPage('batches', query, (before, limit) =>
    readBatches(ctx.services.db.orm, filterRuns(ctx.accountId, query, before), limit),
  );
  return { batches: items, pagination };
};

/** Progress until the end, or until the call's signal is aborted. @throws AppError not_found */
export const watchBatch: Perform<'watchBatch', WatchServices> = (ctx, { params }) =>
  followRun(ctx, params.id, () => readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id));
