import { integer, json, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

/** One row per (account, key): claims, then keeps the first answer of, a creating request. */
export const idempotencyKeys = gleaner.table('idempotency_keys', {
  accountId: text('account_id').notNull(),
  key: text().notNull(),
  operation: text().notNull(),
  requestDigest: bytes('request_digest').notNull(),
  /** Digest of an upload's content, known when it was received. */
  uploadDigest: bytes('upload_digest'),
  /** Null while the first request is under way. */
  status: integer(),
  answer: json(),
  /** After this, another process takes over the claim of a process that died. */
  leaseUntil: timestamp('lease_until').notNull(),
  createdAt: timestampNow('created_at'),
});
