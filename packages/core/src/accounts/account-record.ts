import type { tables } from '@gleaner/db';
import type { OutputOf } from '../platform/context.ts';

export type AccountRecord = OutputOf<'updateAccount'>['account'];

export function toAccountRecord(row: typeof tables.accounts.$inferSelect): AccountRecord {
  return {
    id: row.id,
    name: row.name,
    active: row.isActive,
    credit_balance: row.balance,
    credits_reserved: row.reserved,
    credits_used: row.used,
    concurrency: row.concurrency,
    requests_per_minute: row.requestsPerMinute,
    pending_limit: row.pendingLimit,
    cron_limit: row.cronLimit,
    cron_min_interval_seconds: row.cronMinIntervalSeconds,
    created_at: row.createdAt,
  };
}

/** Default limits of a new account. */
export const DEFAULT_LIMITS = {
  concurrency: 50,
  requestsPerMinute: 30_000,
  pendingLimit: 1_000_000,
  cronLimit: 100,
  cronMinIntervalSeconds: 300,
} as const;

export type AccountLimits = { -readonly [K in keyof typeof DEFAULT_LIMITS]: number };
