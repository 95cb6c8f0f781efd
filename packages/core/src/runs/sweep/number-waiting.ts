import { ENGINE } from '@gleaner/db';
import { isLockTimeout } from '../../platform/groups/database-errors.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { deliverAdmitted } from '../deliveries/admitted.ts';
import type { NumberedRow, StageServices } from '../stages/store-children.ts';

/** How long a sweeper waits for a workflow run or an account that others hold. */
const SWEEP_LOCK_MS = 200;

/**
 * Continues workflow runs after their worker died or their wait for credits: one step for each, a few at once. An account
 * that others hold is left to a later round.
 */
export async function numberWaiting({ db, queue, log }: StageServices): Promise<void> {
  const waiting = await db.sql<{ account: string; no: string }[]>`
    SELECT account_id AS account, root_no::text AS no FROM ${db.sql(ENGINE)}.waiting_roots()`;
  const locked = new Set<string>();
  await forEachAlone(waiting, async ({ account, no }) => {
    if (locked.has(account)) return;
    try {
      const rows = await db.sql<NumberedRow[]>`
        SELECT is_more, (delivery).* FROM ${db.sql(ENGINE)}.number_children(${no}, ${SWEEP_LOCK_MS})`;
      await deliverAdmitted(queue, log, rows);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      locked.add(account);
    }
  });
}
