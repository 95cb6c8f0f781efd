import { HEALTH_STATES, QUARANTINE_STATES } from '@gleaner/contracts';
import { bigint, integer, jsonb, text } from 'drizzle-orm/pg-core';
import { gleaner, timestamp, timestampNow } from './namespace.ts';

/** How a version of a parser does on one host. */
export const parserHealth = gleaner.table('parser_health', {
  accountId: text('account_id').notNull(),
  parserId: text('parser_id').notNull(),
  version: integer().notNull(),
  host: text().notNull(),
  state: text({ enum: HEALTH_STATES }).notNull(),
  pages: bigint({ mode: 'number' }).notNull(),
  /** HealthStats of packages/core. */
  stats: jsonb().notNull(),
  changedAt: timestampNow('changed_at'),
  updatedAt: timestampNow('updated_at'),
});

/** Rows of database sinks that wait because the parser seems broken. */
export const quarantinedRows = gleaner.table('quarantined_rows', {
  runNo: bigint('run_no', { mode: 'bigint' }).notNull(),
  seq: integer().notNull(),
  accountId: text('account_id').notNull(),
  parserId: text('parser_id').notNull(),
  version: integer().notNull(),
  host: text().notNull(),
  /** suspect: only its own page looks wrong; held: a person decides. */
  state: text({ enum: QUARANTINE_STATES }).notNull(),
  url: text().notNull(),
  /** JSON text. */
  answer: text().notNull(),
  reason: text().notNull(),
  fetchedAt: timestamp('fetched_at').notNull(),
  createdAt: timestampNow('created_at'),
});
