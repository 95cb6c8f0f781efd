import { ENGINE } from '@gleaner/db';
import { isLockTimeout } from '../../platform/groups/database-errors.ts';
import { deliverAdmitted } from '../deliveries/admitted.ts';
import type { NumberedRow, StageServices } from '../stages/store-children.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';

/** How long a sweeper waits for a workflow run or an account that others hold. */
const SWEEP_LOCK_MS = 200;

/**
 * Continues workflow runs after their worker died or their wait for credits: one step for each, a few accounts at once.
 * An account that others hold is left to a later round.
 * @returns the error of each run that failed
 */
export async function numberWaiting({ db, queue, log }: StageServices): Promise<string[]> {
  const faults: string[] = [];
  const waiting = await db.sql<{ account: string; no: string }[]>`
    SELECT account_id AS account, root_no::text AS no FROM ${db.sql(ENGINE)}.waiting_roots()`;
  const roots = Map.groupBy(waiting, ({ account }) => account);
  await forEachAlone([...roots.keys()], async (account) => {
    for (const { no } of roots.get(account) ?? []) {
      try {
        const rows = await db.sql<NumberedRow[]>`
          SELECT is_more, (delivery).* FROM ${db.sql(ENGINE)}.number_children(${no}, ${SWEEP_LOCK_MS})`;
        await deliverAdmitted(queue, log, rows);
      } catch (error) {
        if (isLockTimeout(error)) return;
        faults.push(`children of workflow run ${no}: ${String(error)}`);
      }
    }
  });
  return faults;
}
