import { AppError, type RunKind } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Context } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { findRun } from './find-run.ts';

/**
 * Cancels a run in one transaction and notifies the workers that run it.
 * @throws AppError not_found, already_finished
 */
export async function cancelRun(ctx: Context, kind: RunKind, id: string): Promise<void> {
  const { db, queue } = ctx.services;
  await findRun(ctx, kind, id);
  const rows = await db.inTurn(
    ctx.accountId,
    () => db.sql<(AdmittedRow & { outcome: string })[]>`
    SELECT outcome, (delivery).* FROM ${db.sql(ENGINE)}.cancel_run(${ctx.accountId}, ${id})`,
  );
  if (rows[0]?.outcome !== 'cancelled') {
    const noun = kind === 'workflow' ? 'workflow run' : kind;
    throw new AppError('already_finished', { detail: `the ${noun} has ended` });
  }
  await deliverAdmitted(queue, ctx.log, rows);
}
