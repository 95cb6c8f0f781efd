import type {
  cancelJob as cancelOperation,
  getJob as getOperation,
  JobRecord,
  listJobs as listOperation,
  OperationInput,
  OperationOutput,
} from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { cancelRun } from '../submission/cancel-run.ts';
import { readJobRecord, readJobs } from './job-record.ts';

export function getJob(ctx: Context, { params }: OperationInput<typeof getOperation>): Promise<JobRecord> {
  return readJobRecord(ctx.services.db.orm, ctx.accountId, params.id);
}

export async function listJobs(
  ctx: Context,
  { query }: OperationInput<typeof listOperation>,
): Promise<OperationOutput<typeof listOperation>> {
  const { items, pagination } = await readPage(query, (before, limit) =>
    readJobs(ctx.services.db.orm, {
      where: sql`account_id = ${ctx.accountId}
        ${before === undefined ? sql`` : sql`AND id < ${before}`}
        ${query.status === undefined ? sql`` : sql`AND state = ${query.status}`}`,
      limit,
      withAnswers: false,
    }),
  );
  return { jobs: items, pagination };
}

export async function cancelJob(
  ctx: Context,
  { params }: OperationInput<typeof cancelOperation>,
): Promise<JobRecord> {
  await cancelRun(ctx, 'job', params.id);
  return readJobRecord(ctx.services.db.orm, ctx.accountId, params.id);
}
