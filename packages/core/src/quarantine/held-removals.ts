import { AppError } from '@gleaner/contracts';
import type { Context, OutputOf, Perform } from '../platform/context.ts';
import { findRun } from '../runs/submission/find-run.ts';

/** Decides about the removals of a run that wait. @throws AppError not_found, already_finished */
async function decide(
  ctx: Context,
  id: string,
  state: 'publishing' | 'discarded',
): Promise<OutputOf<'publishRun'>> {
  const { no } = await findRun(ctx, null, id);
  const { count } = await ctx.services.db.sql`
    UPDATE gleaner.run_judgements SET state = ${state}, due_at = CASE ${state} WHEN 'publishing' THEN now() ELSE 'infinity' END,
      created_at = now(), pages = CASE ${state} WHEN 'publishing' THEN pages END
    WHERE run_no = ${no} AND state = 'held'`;
  if (count === 0) throw new AppError('already_finished', { detail: 'no removals of the run wait' });
  return { id, publication: state };
}

/** The scheduler makes the removals. */
export const publishRun: Perform<'publishRun'> = (ctx, { params }) => decide(ctx, params.id, 'publishing');

export const discardRun: Perform<'discardRun'> = (ctx, { params }) => decide(ctx, params.id, 'discarded');
