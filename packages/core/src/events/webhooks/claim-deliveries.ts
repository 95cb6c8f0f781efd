import type { Database } from '@gleaner/db';

export interface ClaimedDelivery {
  id: string;
  accountId: string;
  webhookId: string | null;
  /** What deliveries are taken in turn by: the webhook, or the account for the webhook_url of its runs. */
  lane: string;
  url: string;
  payload: string;
  attempts: number;
  tries: number;
  roundAt: string;
  /** The webhook's own, sealed; null for the webhook_url of a run. */
  secret: Uint8Array | null;
}

/** Longer than an attempt may take: after this a delivery is due again. */
const LEASE_SECONDS = 60;
/** Bounds the cost of a claim. What lies behind so many of a few lanes is seen once these are busy. */
const MAX_SEEN = 1000;

export interface Claim {
  now: Date;
  limit: number;
  /** Most deliveries that one lane may have under way. */
  perLane: number;
  /** How many a lane has already. */
  underWay: ReadonlyMap<string, number>;
}

/** Claims due deliveries, the lanes in turn. Each claim counts as an attempt, which is also its fence. */
export async function claimDeliveries(
  { sql }: Database,
  { now, limit, perLane, underWay }: Claim,
): Promise<ClaimedDelivery[]> {
  const at = now.toISOString();
  const lanes = JSON.stringify(Object.fromEntries(underWay));
  const rows = await sql<
    {
      id: string;
      account_id: string;
      webhook_id: string | null;
      url: string;
      payload: string;
      attempts: number;
      tries: number;
      round_at: string;
      secret: Uint8Array | null;
    }[]
  >`
    WITH due AS (
      SELECT id, coalesce(webhook_id, account_id) AS lane, next_attempt_at FROM gleaner.outbox
      WHERE state = 'pending' AND next_attempt_at <= ${at}::timestamptz
        AND coalesce((${lanes}::text::jsonb ->> coalesce(webhook_id, account_id))::int, 0) < ${perLane}
      ORDER BY next_attempt_at LIMIT ${MAX_SEEN}
    ), ranked AS (
      SELECT id, row_number() OVER (PARTITION BY lane ORDER BY next_attempt_at)
        + coalesce((${lanes}::text::jsonb ->> lane)::int, 0) AS rank FROM due
    ), picked AS (
      SELECT o.id FROM gleaner.outbox o JOIN ranked r ON r.id = o.id
      WHERE r.rank <= ${perLane} AND o.state = 'pending' AND o.next_attempt_at <= ${at}::timestamptz
      ORDER BY r.rank LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE gleaner.outbox o
    SET attempts = o.attempts + 1, tries = o.tries + 1, attempted_at = ${at}::timestamptz,
      next_attempt_at = ${at}::timestamptz + ${LEASE_SECONDS} * interval '1 second'
    FROM picked p WHERE o.id = p.id
    RETURNING o.id, o.account_id, o.webhook_id, o.url, o.payload, o.attempts, o.tries, o.round_at,
      (SELECT w.secret FROM gleaner.webhooks w WHERE w.id = o.webhook_id) AS secret`;
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    webhookId: row.webhook_id,
    lane: row.webhook_id ?? row.account_id,
    url: row.url,
    payload: row.payload,
    attempts: row.attempts,
    tries: row.tries,
    roundAt: row.round_at,
    secret: row.secret,
  }));
}
