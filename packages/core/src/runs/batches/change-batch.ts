import {
  AppError,
  type BatchRecord,
  type cancelBatch as cancelOperation,
  type OperationInput,
  type retryBatch as retryOperation,
} from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { cancelRun } from '../submission/cancel-run.ts';
import { findRun, refuseExpired } from '../submission/find-run.ts';
import { readBatchRecord } from './batch-record.ts';

export async function cancelBatch(
  ctx: Context,
  { params }: OperationInput<typeof cancelOperation>,
): Promise<BatchRecord> {
  await cancelRun(ctx, 'batch', params.id);
  return readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
}

interface RetriedRow extends AdmittedRow {
  outcome: 'retried' | 'nothing' | 'absent' | 'expired' | 'credits' | 'pending' | 'spent' | 'held';
  one: string;
  two: string;
}

/** The error of a refused retry; undefined when it was not refused. */
function toRefusal(first: RetriedRow | undefined): AppError | undefined {
  const one = Number(first?.one);
  const two = Number(first?.two);
  if (first?.outcome === 'credits') {
    return new AppError('insufficient_credits', { members: { required: one, available: two } });
  }
  if (first?.outcome === 'pending') {
    return new AppError('pending_limit', {
      detail: `${one} tasks are unfinished; with the failed ones there would be more than ${two}`,
      members: { pending: one, limit: two, accepted: 0 },
      retryAfterSeconds: 60,
    });
  }
  if (first?.outcome === 'spent') {
    return new AppError('already_finished', {
      detail: `max_credits pays for ${one} successes, and ${two} are used: no input may run again`,
      hint: 'Create a batch with the failed inputs.',
    });
  }
  if (first?.outcome === 'held') {
    return new AppError('in_use', {
      detail: `max_credits pays for ${one} successes: ${two} are used, and inputs that have not ended hold the rest`,
      hint: 'Try again when the batch has ended.',
    });
  }
  return undefined;
}

/**
 * Runs the failed inputs again, in input order. With `max_credits`, only as many as it still pays for.
 * @throws AppError not_found, insufficient_credits, pending_limit, already_finished, in_use
 */
export async function retryBatch(
  ctx: Context,
  { params }: OperationInput<typeof retryOperation>,
): Promise<BatchRecord> {
  const { db, queue } = ctx.services;
  refuseExpired(await findRun(ctx, 'batch', params.id));
  const rows = await db.sql<RetriedRow[]>`SELECT * FROM engine.retry_run(${ctx.accountId}, ${params.id})`;
  const [first] = rows;
  const refusal = toRefusal(first);
  if (refusal) throw refusal;
  await deliverAdmitted(queue, ctx.log, rows);
  return readBatchRecord(db.orm, ctx.accountId, params.id);
}
