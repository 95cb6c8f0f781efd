import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';

/**
 * Cancels runs that have not ended this number of days after their creation. Otherwise one slow run would keep the partitions
 * with tasks and results of all accounts. Successes stay charged, and each run emits its event as after any cancel.
 */
export async function endOldRuns(
  { db, queue, log }: Pick<Services, 'db' | 'queue' | 'log'>,
  days: number,
): Promise<void> {
  // Stages end with their workflow run.
  const old = await db.sql<{ id: string; account: string }[]>`
    SELECT id, account_id AS account FROM gleaner.runs
    WHERE state IN ('pending', 'running') AND root_no IS NULL
      AND no < ${db.sql(ENGINE)}.number_at(now() - ${days}::int * interval '1 day')
    ORDER BY no LIMIT 100`;
  await forEachAlone(old, async ({ id, account }) => {
    const rows = await db.sql<AdmittedRow[]>`
      SELECT (delivery).* FROM ${db.sql(ENGINE)}.cancel_run(${account}, ${id})`;
    await deliverAdmitted(queue, log, rows);
    log.warn({ run: id, account, days }, 'the run was cancelled because it had not ended in time');
  });
}
