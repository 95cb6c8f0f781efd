import { integer, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

/** Contents by their SHA-256, each once in an account: kept pages, screenshots. */
export const blobs = gleaner.table('blobs', {
  accountId: text('account_id').notNull(),
  hash: bytes('hash').notNull(),
  encoding: text({ enum: ['zstd', 'raw'] }).notNull(),
  /** Null: the contents are in an S3-compatible store. */
  bytes: bytes('bytes'),
  sizeBytes: integer('size_bytes').notNull(),
  storedBytes: integer('stored_bytes').notNull(),
  expiresAt: timestamp('expires_at').notNull(),
  /** The hash of another content of the account, which is needed to read this one. */
  dictionary: bytes('dictionary'),
});

/** Screenshots and PDFs of pages. Anyone with the id may read the file until it expires. */
export const files = gleaner.table('files', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  hash: bytes('hash').notNull(),
  contentType: text('content_type').notNull(),
  createdAt: timestampNow('created_at'),
  expiresAt: timestamp('expires_at').notNull(),
});
