import type { Database } from '@gleaner/db';

export interface ClaimedDelivery {
  id: string;
  accountId: string;
  webhookId: string | null;
  /** The lane of a delivery, for fair claims: its webhook, or its account for the webhook_url of runs. */
  lane: string;
  url: string;
  payload: string;
  attempts: number;
  tries: number;
  roundAt: string;
  /** The webhook's sealed secret; null for the webhook_url of a run. */
  secret: Uint8Array | null;
}

/** A claimed delivery is due again after this time, which is longer than an attempt can take. */
const LEASE_MS = 60_000;
/** Limits the cost of a claim. Deliveries behind this many of a few lanes are found when these lanes are busy. */
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
