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
const LEASE_MS = 60_000;
/** Bounds the cost of a claim. What lies behind so many of a few lanes is seen once these are busy. */
const MAX_SEEN = 1000;

export interface Claim {
  now: Date;
  limit: number;
  /** Most deliveries that one lane may have under way, over all processes. */
  perLane: number;
  /** Lanes to pass over. */
  served: ReadonlySet<string>;
}

interface ClaimedRow {
  id: string;
  account_id: string;
  webhook_id: string | null;
  url: string;
  payload: string;
  attempts: number;
  tries: number;
  round_at: string;
  secret: Uint8Array | null;
}

/**
 * Claims due deliveries, the lanes in turn; none while another process claims. Each claim counts as an attempt, which
 * is also its fence.
 */
export async function claimDeliveries(
  { sql }: Database,
  { now, limit, perLane, served }: Claim,
): Promise<ClaimedDelivery[]> {
  const rows = await sql<ClaimedRow[]>`
    SELECT * FROM engine.claim_deliveries(
      p_now => ${now.toISOString()}::timestamptz, p_limit => ${limit}, p_per_lane => ${perLane},
      p_served => ${[...served]}, p_seen => ${MAX_SEEN}, p_lease_ms => ${LEASE_MS})`;
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
