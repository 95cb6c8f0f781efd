import { AppError, type ResultMode, type RunKind } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import type { CarriedNames } from '../stages/input-values.ts';
import { FETCHING, type Fetching } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

export interface FoundRun {
  no: string;
  mode: ResultMode;
  target: TaskTarget;
  /** The names of the values of inputs that it keeps, by column; null: none. */
  carry: CarriedNames | null;
  fetching: Fetching;
  expired: boolean;
  /** Its results were deleted before. */
  deleted: boolean;
}

/** @param kind null: a job, batch or workflow run. @throws AppError not_found: absent, or another account's */
export async function findRun(ctx: Context, kind: RunKind | null, id: string): Promise<FoundRun> {
  const [row] = await ctx.services.db.sql<FoundRun[]>`
    SELECT no::text AS no, mode, target, config -> 'carry' AS carry, ${ctx.services.db.sql.unsafe(FETCHING)} AS fetching,
      created_at < now() - interval '24 hours' AS expired,
      -- Only a deletion ends workflow runs by this column.
      CASE kind WHEN 'workflow' THEN expires_at IS NOT NULL
        ELSE coalesce(expires_at <= now() AND created_at > now() - interval '24 hours', false) END AS deleted
    FROM gleaner.runs
    WHERE id = ${id} AND account_id = ${ctx.accountId} AND kind <> 'stage' AND kind = coalesce(${kind}, kind)`;
  if (!row) throw new AppError('not_found');
  return row;
}

/** @throws AppError not_found, when what the run found was deleted */
export function refuseDeleted({ deleted }: { deleted: boolean }): void {
  if (deleted) throw new AppError('not_found', { detail: 'the results were deleted' });
}

/** @throws AppError not_found, with the reason: results are kept for 24 hours */
export function refuseExpired(run: FoundRun): void {
  refuseDeleted(run);
  if (run.expired) {
    throw new AppError('not_found', {
      detail: 'the results were removed 24 hours after the batch was created',
    });
  }
}
