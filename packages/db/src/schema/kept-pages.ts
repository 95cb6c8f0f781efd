import { bigint, integer, smallint, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp } from './namespace.ts';

/** Pages that runs fetched, unchanged. */
export const keptPages = gleaner.table('kept_pages', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  runNo: bigint('run_no', { mode: 'bigint' }).notNull(),
  runId: text('run_id').notNull(),
  seq: integer().notNull(),
  url: text().notNull(),
  finalUrl: text('final_url').notNull(),
  httpStatus: smallint('http_status').notNull(),
  contentType: text('content_type'),
  fetchedAt: timestamp('fetched_at').notNull(),
  hash: bytes('hash').notNull(),
  sizeBytes: integer('size_bytes').notNull(),
  /** Code of the failure; null when the parser gave data. */
  error: text(),
  expiresAt: timestamp('expires_at').notNull(),
});
