import { AppError } from '@gleaner/contracts';
import type { Transaction } from '@gleaner/db';
import { write, type Context } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import type { PreparedRun } from './prepared-run.ts';

/**
 * Creates a prepared run in the transaction of a writing call and calls a worker, or removes the run's stored inputs.
 * @param answer reads the call's answer from the same transaction; rows that it writes commit with the run
 * @throws AppError insufficient_credits, pending_limit, temporarily_unavailable
 */
export async function submitRun<T>(
  ctx: Context,
  run: PreparedRun,
  answer: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  let admitted: readonly AdmittedRow[] = [];
  let result: T;
  try {
    result = await write(ctx, async (tx) => {
      hasBegun = true;
      admitted = await run.create(tx);
      return answer(tx);
    });
  } catch (error) {
    // Only a refusal proves a rollback. After another error the run may exist, because the commit's answer may be lost.
    if (!hasBegun || error instanceof AppError) run.discard();
    throw error;
  }
  await deliverAdmitted(ctx.services.queue, ctx.log, admitted);
  return result;
}
