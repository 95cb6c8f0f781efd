import type { AlertChannel } from '@gleaner/contracts';
import { ENGINE, type Database, tables, type Executor } from '@gleaner/db';
import { and, eq, gt, sql } from 'drizzle-orm';

export interface ClaimedDelivery {
  id: string;
  accountId: string;
  webhookId: string | null;
  url: string;
  payload: string;
  attempts: number;
  tries: number;
  roundAt: string;
  /** The age of the round when the delivery was claimed, by the database's clock. */
  roundAgeMs: number;
  /** The sealed secret of the webhook, or where the alert goes; null for the webhook_url of a run. */
  secret: Uint8Array | null;
  event: string;
  /** Null of a webhook. */
  channel: AlertChannel | null;
  /** What an alert is called. */
  name: string | null;
}

/** A claimed delivery is due again after this time, which is longer than an attempt can take. */
const LEASE_MS = 60_000;
/** Most deliveries of one account under way, over all processes. */
const MAX_PER_ACCOUNT = 16;
/** Most to one webhook. */
const MAX_PER_WEBHOOK = 4;
/** After this number of failures in a row a webhook gets one delivery at a time, with growing pauses. */
export const PAUSING_FAILURES = 5;

/**
 * Claims at most `limit` due deliveries, of the accounts that have waited longest. Each claim counts as an attempt, which
 * is also its fence.
 */
export function claimDeliveries({ sql }: Pick<Database, 'sql'>, limit: number): Promise<ClaimedDelivery[]> {
  return sql<ClaimedDelivery[]>`
    SELECT id, account_id AS "accountId", webhook_id AS "webhookId", url, payload, attempts, tries, round_at AS "roundAt",
      round_age_ms AS "roundAgeMs", secret, event, channel, name
    FROM ${sql(ENGINE)}.claim_deliveries(
      p_limit => ${limit}, p_per_account => ${MAX_PER_ACCOUNT}, p_per_webhook => ${MAX_PER_WEBHOOK},
      p_failures => ${PAUSING_FAILURES}, p_lease_ms => ${LEASE_MS})`;
}

/** Waits between attempts, in seconds: tries at about 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours. */
const WAITS_SECONDS = [5, 295, 1500, 5400, 10_800, 18_000, 14_400, 21_600, 14_400] as const;
export const ROUND_MS = 24 * 3_600_000;
const JITTER = 0.1;
/** The fewest attempts, even when the service was down for a day. */
const LEAST_TRIES = 3;

export interface FailedTry {
  /** Attempts in this round, including the failed one. */
  tries: number;
  /** Time since the round began. */
  ageMs: number;
  /** 0 to 1. */
  random: number;
}

/** The wait before the next attempt, in ms; undefined after 24 hours or the last attempt. */
export function waitMs({ tries, ageMs, random }: FailedTry): number | undefined {
  const seconds = WAITS_SECONDS[tries - 1];
  if (seconds === undefined) return undefined;
  const wait = seconds * 1000 * (1 + JITTER * (2 * random - 1));
  const left = ROUND_MS - ageMs;
  if (wait <= left) return wait;
  return left > 60_000 ? left : tries < LEAST_TRIES ? wait : undefined;
}

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

/** An alert's next message waits, so that a lasting fault is one a minute at most. */
const QUIET_SECONDS = 60;

/** A message of an alert arrived. */
export async function quietAlert(db: Executor, alertId: string): Promise<void> {
  await db
    .update(webhooks)
    .set({ ...UNPAUSED, resumesAt: sql`now() + ${QUIET_SECONDS} * interval '1 second'` })
    .where(eq(webhooks.id, alertId));
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
