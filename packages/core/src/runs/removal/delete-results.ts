import { AppError, type RunKind } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { Context, Perform, Services } from '../../platform/context.ts';
import { findRun } from '../submission/find-run.ts';

/** Rows of one statement: about 0.1 s of work. */
const PART = 5_000;
/** A round yields to other duties after this time. */
const ROUND_MS = 5_000;
/** How long a call removes rows itself: those of most runs are gone when it answers. */
const CALL_MS = 300;
const RUNS_OF_A_ROUND = 100;

/** What a run has found, with the second column of the key. What it was given stays, and ends with its window. */
const FOUND = [
  ['results', 'seq'],
  ['quarantined_rows', 'seq'],
  ['frontier', 'hash'],
  ['fetched_pages', 'seq'],
  ['guesses', 'hash'],
] as const;

/** Removes what a run has found, in short statements. @returns whether nothing is left */
async function removeFound({ sql }: Database, no: string, isOver: () => boolean): Promise<boolean> {
  const parts = [
    ...FOUND.map(
      ([table, key]) =>
        () =>
          sql`
          DELETE FROM gleaner.${sql(table)} WHERE run_no = ${no}::bigint AND ${sql(key)} = ANY (ARRAY(
            SELECT ${sql(key)} FROM gleaner.${sql(table)} WHERE run_no = ${no}::bigint ORDER BY 1 LIMIT ${PART}))`,
    ),
    // The duty for pages that have expired removes them with their contents.
    () => sql`
      UPDATE gleaner.kept_pages SET expires_at = now() WHERE id = ANY (ARRAY(
        SELECT id FROM gleaner.kept_pages WHERE run_no = ${no}::bigint AND expires_at > now() LIMIT ${PART}))`,
  ];
  for (const part of parts)
    for (let count = PART; count === PART;) {
      if (isOver()) return false;
      ({ count } = await part());
    }
  await sql`DELETE FROM gleaner.removals WHERE run_no = ${no}::bigint`;
  return true;
}

/** Removes what runs have found whose results were deleted, until the time is over. */
export async function sweepRemovals(db: Database, roundMs = ROUND_MS): Promise<void> {
  const until = performance.now() + roundMs;
  const runs = await db.sql<{ no: string }[]>`
    SELECT run_no::text AS no FROM gleaner.removals ORDER BY begun_at, run_no LIMIT ${RUNS_OF_A_ROUND}`;
  for (const { no } of runs) if (!(await removeFound(db, no, () => performance.now() > until))) return;
}

/**
 * Lets the results of an ended run expire now, and removes them: at once where they are few, else by the duty of the
 * scheduler. Stages and the source of a batch are runs of their own.
 * @throws AppError not_found, in_use
 */
async function deleteResults(ctx: Context<Services>, kind: RunKind, id: string): Promise<void> {
  const { db } = ctx.services;
  const { no } = await findRun(ctx, kind, id);
  const expired = await db.sql.begin(async (tx) => {
    const runs = await tx<{ no: string; is_live: boolean }[]>`
      SELECT r.no::text AS no, r.state IN ('pending', 'running') AS is_live FROM gleaner.runs r
      WHERE r.no = ${no}::bigint OR r.root_no = ${no}::bigint
        OR r.root_no = (SELECT b.root_no FROM gleaner.runs b WHERE b.no = ${no}::bigint)
      ORDER BY r.no FOR NO KEY UPDATE`;
    if (runs.some((run) => run.is_live))
      throw new AppError('in_use', {
        detail: `the ${kind === 'workflow' ? 'run' : kind} has not ended`,
        hint: 'Cancel it first.',
      });
    const numbers = runs.map((run) => run.no);
    await tx`UPDATE gleaner.runs SET expires_at = least(expires_at, now()) WHERE no = ANY (${numbers}::bigint[])`;
    await tx`UPDATE gleaner.run_judgements SET state = 'discarded', due_at = 'infinity', pages = NULL
      WHERE run_no = ANY (${numbers}::bigint[]) AND state IN ('held', 'publishing')`;
    await tx`INSERT INTO gleaner.removals (run_no, account_id)
      SELECT n, ${ctx.accountId} FROM unnest(${numbers}::bigint[]) n ON CONFLICT DO NOTHING`;
    return numbers;
  });
  const until = performance.now() + CALL_MS;
  for (const run of expired) if (!(await removeFound(db, run, () => performance.now() > until))) return;
}

export const deleteJob: Perform<'deleteJob'> = (ctx, { params }) => deleteResults(ctx, 'job', params.id);
export const deleteBatch: Perform<'deleteBatch'> = (ctx, { params }) =>
  deleteResults(ctx, 'batch', params.id);
export const deleteWorkflowRun: Perform<'deleteWorkflowRun'> = (ctx, { params }) =>
  deleteResults(ctx, 'workflow', params.id);
