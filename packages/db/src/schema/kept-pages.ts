import { bigint, index, integer, primaryKey, smallint, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp } from './namespace.ts';

/** Pages that runs fetched, unchanged. */
export const keptPages = gleaner.table(
  'kept_pages',
  {
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
  },
  (table) => [
    uniqueIndex('kept_pages_task').on(table.runNo, table.seq),
    index('kept_pages_list').on(table.accountId, table.id),
    index('kept_pages_expiry').on(table.expiresAt),
    index('kept_pages_run').on(table.runId, table.id),
  ],
);

/** The pages that the tasks of a re-parse read. */
export const reparsedPages = gleaner.table(
  'reparsed_pages',
  {
    runNo: bigint('run_no', { mode: 'bigint' }).notNull(),
    seq: integer().notNull(),
    pageId: text('page_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runNo, table.seq] }),
    index('reparsed_pages_page').on(table.pageId),
  ],
);
