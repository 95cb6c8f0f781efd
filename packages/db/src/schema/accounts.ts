import { LEDGER_KINDS } from '@gleaner/contracts';
import { bigint, boolean, integer, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

function credits(name: string) {
  return bigint(name, { mode: 'number' }).notNull().default(0);
}

/**
 * A tenant. `balance + used = granted` and `0 <= reserved <= balance` are held by constraints. Code that runs for each task
 * or request looks an account up by `latest_of` and the highest `generation` (decision 047).
 */
export const accounts = gleaner.table('accounts', {
  id: text().primaryKey(),
  name: text().notNull(),
  isActive: boolean('is_active').notNull().default(true),
  granted: credits('granted'),
  balance: credits('balance'),
  reserved: credits('reserved'),
  used: credits('used'),
  /** Tasks of its runs that have not ended. */
  unfinished: bigint({ mode: 'number' }).notNull().default(0),
  /** How many tasks and requests may execute at once. */
  concurrency: integer().notNull(),
  requestsPerMinute: integer('requests_per_minute').notNull(),
  /** Most unfinished tasks. */
  pendingLimit: integer('pending_limit').notNull(),
  cronLimit: integer('cron_limit').notNull(),
  cronMinIntervalSeconds: integer('cron_min_interval_seconds').notNull(),
  createdAt: timestampNow('created_at'),
  /** Updates of this row. */
  changes: bigint({ mode: 'number' }).notNull().default(0),
  /** Grows with every 16th change. */
  generation: bigint({ mode: 'number' }).notNull().default(0),
  /** The id, for the index that finds the present version. */
  latestOf: text('latest_of')
    .notNull()
    .generatedAlwaysAs(sql`id`),
  /** The floors are of earlier versions: `turns` has them now. */
  httpFloor: bigint('http_floor', { mode: 'number' }).notNull().default(0),
  browserFloor: bigint('browser_floor', { mode: 'number' }).notNull().default(0),
  chunkFloor: bigint('chunk_floor', { mode: 'number' }).notNull().default(0),
});

/** An API key: only its public id, last four characters and SHA-256 digest are stored. */
export const apiKeys = gleaner.table('api_keys', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  name: text().notNull(),
  /** The 8 characters after `gln_`. */
  publicId: text('public_id').notNull(),
  lastFour: text('last_four').notNull(),
  digest: bytes().notNull(),
  createdAt: timestampNow('created_at'),
  lastUsedAt: timestamp('last_used_at'),
  revokedAt: timestamp('revoked_at'),
});

/** A subject of an OAuth issuer whose access tokens open `/mcp` for an account. */
export const oauthSubjects = gleaner.table('oauth_subjects', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  createdAt: timestampNow('created_at'),
});

/**
 * The credit ledger. Unique per (reference, part, slice, kind), so no charge can be made twice. Entries of a run are
 * folded when it ends, old ones become sums of days; sums never change.
 */
export const ledgerEntries = gleaner.table('ledger_entries', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  accountId: text('account_id').notNull(),
  kind: text({ enum: LEDGER_KINDS }).notNull(),
  credits: bigint({ mode: 'number' }).notNull(),
  /** Identifier of the request, job or batch, or of the grant. */
  reference: text().notNull(),
  /** Chunk number within a run; 0 otherwise. */
  part: integer().notNull().default(0),
  /** Attempt of the chunk; 0 otherwise. */
  slice: integer().notNull().default(0),
  createdAt: timestampNow('created_at'),
});
