import type { BatchRecord } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { filterRuns } from '../submission/filter-runs.ts';
import { findRun } from '../submission/find-run.ts';
import { fetchedByOf } from '../tasks/run-config.ts';
import { followRun, type WatchServices } from '../watch/follow-run.ts';
import { readBatches, readBatchRecord } from './batch-record.ts';

/** Successes that are counted by their ways: a page of the dashboard reads them again and again. */
const MOST_COUNTED = 50_000;

/** How the pages of a run came, and what they cost. */
async function countWays(ctx: Context, id: string): Promise<BatchRecord['ways']> {
  const { no, fetching } = await findRun(ctx, 'batch', id);
  const rows = await ctx.services.db.sql<{ way: number | null; pages: number; credits: number }[]>`
    SELECT way, count(*)::int AS pages, sum(credits)::float8 AS credits FROM (
      SELECT o.way, o.credits FROM gleaner.results o WHERE o.run_no = ${no} AND o.ok LIMIT ${MOST_COUNTED}
    ) counted GROUP BY way ORDER BY way NULLS FIRST`;
  return rows.map(({ way, ...counts }) => ({ fetched_by: fetchedByOf(fetching, way) ?? '', ...counts }));
}

export const getBatch: Perform<'getBatch'> = async (ctx, { params }) => {
  const record = await readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
  if (record.scrape_config['escalate'] === undefined) return record;
  return { ...record, ways: await countWays(ctx, params.id) };
};

export const listBatches: Perform<'listBatches'> = async (ctx, { query }) => {
  const { items, pagination } = await readPage(query, (before, limit) =>
    readBatches(ctx.services.db.orm, filterRuns(ctx.accountId, query, before), limit),
  );
  return { batches: items, pagination };
};

/** Progress until the end, or until the call's signal is aborted. @throws AppError not_found */
export const watchBatch: Perform<'watchBatch', WatchServices> = (ctx, { params }) =>
  followRun(ctx, params.id, () => readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id));
