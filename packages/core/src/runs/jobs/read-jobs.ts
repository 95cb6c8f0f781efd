import { sql } from 'drizzle-orm';
import type { Perform } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { cancelRun } from '../submission/cancel-run.ts';
import { filterRuns } from '../submission/filter-runs.ts';
import { readJobRecord, readJobs } from './job-record.ts';

export const getJob: Perform<'getJob'> = (ctx, { params }) =>
  readJobRecord(ctx.services.db.orm, ctx.accountId, params.id);

/** The page of a job, or its parameters. */
const PAGE = sql`(SELECT t.input FROM gleaner.tasks t WHERE t.run_no = runs.no AND t.seq = 0)`;

export const listJobs: Perform<'listJobs'> = async (ctx, { query }) => {
  const { items, pagination } = await readPage('jobs', query, (before, limit) =>
    readJobs(ctx.services.db.orm, {
      where: filterRuns(ctx.accountId, query, before, PAGE),
      limit,
      withAnswers: false,
    }),
  );
  return { jobs: items, pagination };
};

export const cancelJob: Perform<'cancelJob'> = async (ctx, { params }) => {
  await cancelRun(ctx, 'job', params.id);
  return readJobRecord(ctx.services.db.orm, ctx.accountId, params.id);
};
