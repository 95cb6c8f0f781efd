import { ENGINE, type Database } from '@gleaner/db';

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
  /** The webhook's sealed secret; null for the webhook_url of a run. */
  secret: Uint8Array | null;
}

/** A claimed delivery is due again after this time, which is longer than an attempt can take. */
const LEASE_MS = 60_000;
/** Most deliveries of one account under way, over all processes. */
const MAX_PER_ACCOUNT = 16;
/** Most to one webhook. */
const MAX_PER_WEBHOOK = 4;
/** After this number of failures in a row a webhook gets one delivery at a time, with growing pauses. */
export const PAUSING_FAILURES = 5;

interface ClaimedRow {
  id: string;
  account_id: string;
  webhook_id: string | null;
  url: string;
  payload: string;
  attempts: number;
  tries: number;
  round_at: string;
  round_age_ms: number;
  secret: Uint8Array | null;
}

/**
 * Claims at most `limit` due deliveries, of the accounts that have waited longest. Each claim counts as an attempt, which
 * is also its fence.
 */
export async function claimDeliveries(
  { sql }: Pick<Database, 'sql'>,
  { limit }: { limit: number },
): Promise<ClaimedDelivery[]> {
  const rows = await sql<ClaimedRow[]>`
    SELECT * FROM ${sql(ENGINE)}.claim_deliveries(
      p_limit => ${limit}, p_per_account => ${MAX_PER_ACCOUNT}, p_per_webhook => ${MAX_PER_WEBHOOK},
      p_failures => ${PAUSING_FAILURES}, p_lease_ms => ${LEASE_MS})`;
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    webhookId: row.webhook_id,
    url: row.url,
    payload: row.payload,
    attempts: row.attempts,
    tries: row.tries,
    roundAt: row.round_at,
    roundAgeMs: row.round_age_ms,
    secret: row.secret,
  }));
}
