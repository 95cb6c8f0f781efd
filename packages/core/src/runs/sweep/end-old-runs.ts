import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';

interface OldRun {
  id: string;
  account_id: string;
  kind: string;
}

/**
 * Cancels runs that have not ended this number of days after their creation. Otherwise one slow run would keep the partitions
 * with tasks and results of all accounts. Successes stay charged, and each run emits its event as after any cancel.
 */
export async function endOldRuns(
  { db, queue, log }: Pick<Services, 'db' | 'queue' | 'log'>,
  days: number,
): Promise<void> {
  const old = await db.sql<OldRun[]>`SELECT * FROM ${db.sql(ENGINE)}.old_runs(${days}::int)`;
  await forEachAlone(old, async ({ id, account_id: account, kind }) => {
    const rows =
      kind === 'workflow'
        ? await db.sql<AdmittedRow[]>`
            SELECT (delivery).* FROM ${db.sql(ENGINE)}.cancel_workflow_run(${account}, ${id})`
        : await db.sql<
            AdmittedRow[]
          >`SELECT (delivery).* FROM ${db.sql(ENGINE)}.cancel_run(${account}, ${id})`;
    await deliverAdmitted(queue, log, rows);
    log.warn({ run: id, account, days }, 'the run was cancelled because it had not ended in time');
  });
}
