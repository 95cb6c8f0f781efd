import {
  AppError,
  type BatchRecord,
  type cancelBatch as cancelOperation,
  type OperationInput,
  type retryBatch as retryOperation,
} from '@gleaner/contracts';
import type { Context } from '../context.ts';
import { deliverAdmitted, type AdmittedRow } from '../requests/admitted.ts';
import { cancelRun } from '../runs/cancel-run.ts';
import { findRun, refuseExpired } from '../runs/find-run.ts';
import { readBatchRecord } from './batch-record.ts';

export const cancelBatch = async (
  ctx: Context,
  { params }: OperationInput<typeof cancelOperation>,
): Promise<BatchRecord> => {
  await cancelRun(ctx, 'batch', params.id);
  return readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
};

interface RetriedRow extends AdmittedRow {
  outcome: 'retried' | 'nothing' | 'absent' | 'expired' | 'credits';
  one: string;
  two: string;
}

/** Runs the failed inputs again. @throws AppError not_found, insufficient_credits */
export const retryBatch = async (
  ctx: Context,
  { params }: OperationInput<typeof retryOperation>,
): Promise<BatchRecord> => {
  const { db, queue } = ctx.services;
  refuseExpired(await findRun(ctx, 'batch', params.id));
  const rows = await db.sql<RetriedRow[]>`SELECT * FROM engine.retry_run(${ctx.accountId}, ${params.id})`;
  const [first] = rows;
  if (first?.outcome === 'credits') {
    throw new AppError('insufficient_credits', {
      members: { required: Number(first.one), available: Number(first.two) },
    });
  }
  await deliverAdmitted(queue, ctx.log, rows);
  return readBatchRecord(db.orm, ctx.accountId, params.id);
};
