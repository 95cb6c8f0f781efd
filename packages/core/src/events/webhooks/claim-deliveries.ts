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

/**
 * Claims at most `limit` due deliveries, of the accounts that have waited longest. Each claim counts as an attempt, which
 * is also its fence.
 */
export function claimDeliveries({ sql }: Pick<Database, 'sql'>, limit: number): Promise<ClaimedDelivery[]> {
  return sql<ClaimedDelivery[]>`
    SELECT id, account_id AS "accountId", webhook_id AS "webhookId", url, payload, attempts, tries, round_at AS "roundAt",
      round_age_ms AS "roundAgeMs", secret
    FROM ${sql(ENGINE)}.claim_deliveries(
      p_limit => ${limit}, p_per_account => ${MAX_PER_ACCOUNT}, p_per_webhook => ${MAX_PER_WEBHOOK},
      p_failures => ${PAUSING_FAILURES}, p_lease_ms => ${LEASE_MS})`;
}
