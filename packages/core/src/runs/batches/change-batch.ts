import { AppError, hasEnded, type BatchRecord } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { cancelRun } from '../submission/cancel-run.ts';
import { limitRefusal, type Limits } from '../submission/create-run.ts';
import { findRun, refuseExpired } from '../submission/find-run.ts';
import { toCause } from './batch-failures.ts';
import { readBatchRecord } from './batch-record.ts';

export const cancelBatch: Perform<'cancelBatch'> = async (ctx, { params }) => {
  await cancelRun(ctx, 'batch', params.id);
  return readBatchRecord(ctx.services.db.orm, ctx.accountId, params.id);
};

type RetriedRow = AdmittedRow &
  Limits & {
    outcome: 'retried' | 'nothing' | 'absent' | 'expired' | 'credits' | 'pending' | 'spent' | 'held';
    /** Set for 'spent' and 'held': the most successes that may be charged, and how many there are. */
    budget: number;
    succeeded: number;
  };

/** Why the account's limits refuse a retry. */
export function retryLimit(row: Limits & { outcome: string }): AppError | undefined {
  return limitRefusal(row.outcome, row, `; the failed ones would exceed the limit of ${row.pending_limit}`);
}

/** The error of a refused retry; undefined when the retry was accepted. */
function toRefusal(first: RetriedRow | undefined): AppError | undefined {
  if (first?.outcome === 'spent') {
    return new AppError('already_finished', {
      detail: `max_credits pays for ${first.budget} successes, and ${first.succeeded} are used, so no input can run again`,
      hint: 'Create a batch with the failed inputs.',
    });
  }
  if (first?.outcome === 'held') {
    return new AppError('in_use', {
      detail:
        `max_credits pays for ${first.budget} successes: ${first.succeeded} are used, ` +
        'and unfinished inputs hold the rest',
      hint: 'Try again when the batch has ended.',
    });
  }
  return first && retryLimit(first);
}

/** A run that sent headers or cookies can't run again after its end, when they were removed. */
async function refuseForgotten({ services, accountId }: Context, id: string): Promise<void> {
  const [row] = await services.db.sql<{ forgotten: boolean }[]>`
    SELECT config -> 'sealed' = 'null' AS forgotten FROM gleaner.runs WHERE id = ${id} AND account_id = ${accountId}`;
  if (row?.forgotten !== true) return;
  throw new AppError('already_finished', {
    detail: 'the headers and cookies of the batch were removed when it ended',
    hint: 'Create a batch with the failed inputs, headers and cookies.',
  });
}

const NO_SUCH_FAILURE = new AppError('already_finished', {
  field: 'cause',
  detail: 'no input that has ended failed by this cause',
  hint: 'GET /v1/batches/{id}/failures lists the causes.',
});

/** Why no input can run again. */
function nothingToRetry({ status, counts }: BatchRecord, withCancelled: boolean): AppError {
  const { pending, running, succeeded, cancelled } = counts;
  if (!hasEnded(status)) {
    return new AppError('in_use', {
      detail: `no input has failed so far; ${pending + running} have not ended`,
      hint: 'Try again when the batch has ended.',
    });
  }
  const isCancelled = cancelled > 0 && !withCancelled;
  return new AppError('already_finished', {
    detail: `no input failed: ${succeeded} succeeded${cancelled > 0 ? ` and ${cancelled} were cancelled` : ''}`,
    ...(isCancelled ? { hint: 'Send {"cancelled": true} to run the cancelled inputs.' } : {}),
  });
}

/**
 * Runs the failed inputs again, and when requested the cancelled ones, in input order. With `max_credits`, only as many
 * as the remaining credits pay for.
 * @throws AppError not_found, insufficient_credits, pending_limit, already_finished, in_use
 */
export const retryBatch: Perform<'retryBatch'> = async (ctx, { params, body }) => {
  const { cancelled = false, cause } = body;
  refuseExpired(await findRun(ctx, 'batch', params.id));
  await refuseForgotten(ctx, params.id);
  let rows: readonly RetriedRow[] = [];
  const record = await write(ctx, async (tx) => {
    rows = await tx.execute<RetriedRow>(sql`
      SELECT outcome, required, available, unfinished, pending_limit, budget, succeeded, (delivery).*
      FROM ${sql.identifier(ENGINE)}.retry_run(${ctx.accountId}, ${params.id}, ${cancelled && cause === undefined}, ${toCause(cause)})`);
    const refusal = toRefusal(rows[0]);
    if (refusal) throw refusal;
    const retried = await readBatchRecord(tx, ctx.accountId, params.id);
    if (rows[0]?.outcome === 'nothing')
      throw cause === undefined ? nothingToRetry(retried, cancelled) : NO_SUCH_FAILURE;
    return retried;
  });
  await deliverAdmitted(ctx.services.queue, ctx.log, rows);
  return record;
};
