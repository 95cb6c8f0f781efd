import { ENGINE } from '@gleaner/db';
import { isLockTimeout } from '../../platform/groups/database-errors.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { deliverAdmitted } from '../deliveries/admitted.ts';
import type { NumberedRow, StageServices } from '../stages/store-children.ts';

/** How long a sweeper waits for a workflow run or an account that others hold. */
const SWEEP_LOCK_MS = 200;

/** Some of each account, so that one account with many runs hides no other. */
function findWaiting({ sql }: StageServices['db']): Promise<{ account: string; no: string }[]> {
  return sql<{ account: string; no: string }[]>`
    SELECT t.account_id AS account, t.root_no::text AS no FROM (
      SELECT w.*, row_number() OVER (PARTITION BY w.account_id ORDER BY random()) AS place FROM (
        SELECT r.account_id, b.root_no FROM (SELECT DISTINCT c.root_no FROM gleaner.child_batches c) b
        JOIN gleaner.workflow_runs r ON r.no = b.root_no
        UNION
        SELECT r.account_id, d.root_no FROM gleaner.dropped_tasks d JOIN gleaner.workflow_runs r ON r.no = d.root_no
        UNION
        SELECT f.account_id, f.root_no FROM ${sql(ENGINE)}.unfinished_roots() f
        UNION
        SELECT p.account_id, p.root_no FROM gleaner.run_pauses p JOIN gleaner.accounts a ON a.id = p.account_id
        WHERE CASE p.reason
          WHEN 'credits' THEN a.balance - a.reserved >= p.required OR p.since < now() - interval '24 hours'
          WHEN 'pending' THEN a.unfinished < a.pending_limit
          ELSE NOT EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.root_no = p.root_no AND r.reserved > 0) END
      ) w
    ) t WHERE t.place <= 10 ORDER BY random() LIMIT 500`;
}

/**
 * Continues workflow runs after their worker died or their wait for credits: one step for each, a few at once. An account
 * that others hold is left to a later round.
 */
export async function numberWaiting({ db, queue, log }: StageServices): Promise<void> {
  const waiting = await findWaiting(db);
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
