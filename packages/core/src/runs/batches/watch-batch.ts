import type { OperationInput, ServerEvent, watchBatch as operation } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { followRun, type WatchServices } from '../watch/follow-run.ts';
import { readBatchRecord } from './batch-record.ts';

/** Progress until the end, or until the call's signal is aborted. @throws AppError not_found */
export function watchBatch(
  ctx: Context<WatchServices>,
  { params }: OperationInput<typeof operation>,
): Promise<AsyncIterable<ServerEvent>> {
  return followRun(ctx, params.id, () => readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id));
}
