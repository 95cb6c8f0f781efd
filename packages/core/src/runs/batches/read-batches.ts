import type {
  BatchRecord,
  getBatch as getOperation,
  listBatches as listOperation,
  OperationInput,
  OperationOutput,
  ServerEvent,
  watchBatch as watchOperation,
} from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { followRun, type WatchServices } from '../watch/follow-run.ts';
import { readBatches, readBatchRecord } from './batch-record.ts';

export function getBatch(
  ctx: Context,
  { params }: OperationInput<typeof getOperation>,
): Promise<BatchRecord> {
  return readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
}

export async function listBatches(
  ctx: Context,
  { query }: OperationInput<typeof listOperation>,
): Promise<OperationOutput<typeof listOperation>> {
  const { items, pagination } = await readPage(query, (before, limit) =>
    readBatches(
      ctx.services.db.orm,
      sql`account_id = ${ctx.accountId}
        ${before === undefined ? sql`` : sql`AND id < ${before}`}
        ${query.status === undefined ? sql`` : sql`AND state = ${query.status}`}`,
      limit,
    ),
  );
  return { batches: items, pagination };
}

/** Progress until the end, or until the call's signal is aborted. @throws AppError not_found */
export function watchBatch(
  ctx: Context<WatchServices>,
  { params }: OperationInput<typeof watchOperation>,
): Promise<AsyncIterable<ServerEvent>> {
  return followRun(ctx, params.id, () => readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id));
}
