import type { Perform } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { cancelRun } from '../submission/cancel-run.ts';
import { pageOfRuns } from '../submission/run-record.ts';
import { readJobRecord, readJobs } from './job-record.ts';

export const getJob: Perform<'getJob'> = (ctx, { params }) =>
  readJobRecord(ctx.services.db.orm, ctx.accountId, params.id);

export const listJobs: Perform<'listJobs'> = async (ctx, { query }) => {
  const { items, pagination } = await readPage(query, (before, limit) =>
    readJobs(ctx.services.db.orm, {
      where: pageOfRuns(ctx.accountId, query.status, before),
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
