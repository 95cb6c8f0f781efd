import { AppError, type RunKind } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Context, Services } from '../../platform/context.ts';
import type { Logger } from '../../platform/log/log.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { findRun } from './find-run.ts';

/**
 * Cancels a run in one transaction and notifies the workers that run it.
 * @throws AppError not_found, already_finished
 */
export async function cancelRun(ctx: Context, kind: RunKind, id: string): Promise<void> {
  await findRun(ctx, kind, id);
  const { outcome } = await cancelLiveRun({ ...ctx.services, log: ctx.log }, ctx.accountId, id);
  if (outcome !== 'cancelled') {
    const noun = kind === 'workflow' ? 'workflow run' : kind;
    throw new AppError('already_finished', { detail: `the ${noun} has ended` });
  }
}

/** Cancels a run of any kind, unless it has ended or is none of the account's. */
export async function cancelLiveRun(
  { db, queue, log }: Pick<Services, 'db' | 'queue'> & { log: Logger },
  accountId: string,
  id: string,
): Promise<{ outcome: 'cancelled' | 'finished' | 'absent' }> {
  const rows = await db.inTurn(
    accountId,
    () => db.sql<(AdmittedRow & { outcome: 'cancelled' | 'finished' | 'absent' })[]>`
    SELECT outcome, (delivery).* FROM ${db.sql(ENGINE)}.cancel_run(${accountId}, ${id})`,
  );
  await deliverAdmitted(queue, log, rows);
  return { outcome: rows[0]?.outcome ?? 'absent' };
}
