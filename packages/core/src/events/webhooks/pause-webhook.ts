import { tables, type Executor } from '@gleaner/db';
import { and, eq, gt, sql } from 'drizzle-orm';
import { PAUSING_FAILURES } from './claim-deliveries.ts';
import { ROUND_MS } from './retry-schedule.ts';

const { webhooks } = tables;

const FIRST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 300;
/** The most deliveries that one failed attempt ends. */
const MAX_ENDED = 1000;

/** The columns of a webhook that is not paused. */
export const UNPAUSED = { failures: 0, failingSince: null, resumesAt: null } as const;

/** A delivery succeeded: all others may follow at once. */
export async function resumeWebhook(db: Executor, webhookId: string): Promise<void> {
  await db
    .update(webhooks)
    .set(UNPAUSED)
    .where(and(eq(webhooks.id, webhookId), gt(webhooks.failures, 0)));
}

/**
 * Counts a failed attempt; after several in a row no delivery begins for 10 s to 5 min. A webhook that has failed for a
 * day loses deliveries that are older than a day: each attempt ends some, so that its backlog ends.
 */
export async function pauseWebhook(db: Executor, webhookId: string): Promise<void> {
  const failures = sql`${webhooks.failures} + 1`;
  const seconds = sql`least(${LONGEST_PAUSE_SECONDS}::int,
    ${FIRST_PAUSE_SECONDS}::int * 2 ^ least(20, ${failures} - ${PAUSING_FAILURES}::int))`;
  const [row] = await db
    .update(webhooks)
    .set({
      failures,
      failingSince: sql`coalesce(${webhooks.failingSince}, now())`,
      resumesAt: sql`CASE WHEN ${failures} >= ${PAUSING_FAILURES}::int THEN now() + ${seconds} * interval '1 second' END`,
    })
    .where(eq(webhooks.id, webhookId))
    .returning({ isLong: sql<boolean>`failing_since < now() - ${ROUND_MS}::float8 * interval '1 ms'` });
  if (row?.isLong !== true) return;
  await db.execute(sql`
    UPDATE gleaner.outbox SET next_attempt_at = NULL,
      state = CASE WHEN delivered_at IS NULL THEN 'failed' ELSE 'delivered' END,
      error = CASE WHEN delivered_at IS NULL THEN 'the webhook has failed for 24 hours' END
    WHERE id = ANY (ARRAY(
      SELECT o.id FROM gleaner.outbox o
      WHERE coalesce(o.webhook_id, o.account_id) = ${webhookId} AND o.state = 'pending'
        AND o.round_at < now() - ${ROUND_MS}::float8 * interval '1 ms' AND coalesce(o.claimed_until < now(), true)
      ORDER BY o.due_at LIMIT ${MAX_ENDED} FOR UPDATE SKIP LOCKED))`);
}
