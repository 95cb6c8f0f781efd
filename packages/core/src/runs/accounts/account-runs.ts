import { AppError } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { OutputOf, Perform } from '../../platform/context.ts';
import { cancelLiveRun } from '../submission/cancel-run.ts';

type AccountRun = OutputOf<'listAccountRuns'>['runs'][number];

/** The live runs of an account with the slots that they hold, of workflow runs those of their stages. */
export const listAccountRuns: Perform<'listAccountRuns'> = async ({ services }, { params }) => {
  const { sql } = services.db;
  const [account] = await sql<{ concurrency: number; interactive: number }[]>`
    SELECT concurrency, ${sql(ENGINE)}.interactive_slots(id) AS interactive FROM gleaner.accounts WHERE id = ${params.id}`;
  if (account === undefined) throw new AppError('not_found', { field: 'id' });
  const runs = await sql<(Omit<AccountRun, 'created_at'> & { created_at: string })[]>`
    SELECT r.id, r.name, r.state, r.total, r.succeeded + r.failed + r.cancelled AS ended, r.created_at,
      coalesce((
        SELECT sum(c.slots)::int FROM gleaner.chunks c WHERE c.account_id = ${params.id} AND c.state <> 'pending'
          AND (c.run_no = r.no OR c.run_no IN (SELECT s.no FROM gleaner.runs s WHERE s.root_no = r.no))
      ), 0) AS slots
    FROM gleaner.runs r
    WHERE r.account_id = ${params.id} AND r.state IN ('pending', 'running') AND r.root_no IS NULL
    ORDER BY r.created_at DESC LIMIT 200`;
  return {
    concurrency: account.concurrency,
    interactive_slots: account.interactive,
    runs: runs.map((run) => ({ ...run, created_at: new Date(run.created_at).toISOString() })),
  };
};

/** @throws AppError not_found, already_finished */
export const cancelAccountRun: Perform<'cancelAccountRun'> = async ({ services, log }, { params }) => {
  const { outcome } = await cancelLiveRun({ ...services, log }, params.id, params.run_id);
  if (outcome === 'absent') throw new AppError('not_found', { field: 'run_id' });
  if (outcome === 'finished') throw new AppError('already_finished', { detail: 'the run has ended' });
};
