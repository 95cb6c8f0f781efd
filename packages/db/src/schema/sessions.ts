import { text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

/** Sessions of the dashboard. An account's session belongs to a key and ends with it; an operator's has no key. */
export const sessions = gleaner.table('sessions', {
  /** SHA-256 of the token in the cookie. */
  digest: bytes().primaryKey(),
  kind: text({ enum: ['account', 'operator'] }).notNull(),
  keyId: text('key_id'),
  createdAt: timestampNow('created_at'),
  expiresAt: timestamp('expires_at').notNull(),
});

/** Links that sign in once. Using one removes its row. */
export const signInLinks = gleaner.table('sign_in_links', {
  digest: bytes().primaryKey(),
  keyId: text('key_id').notNull(),
  expiresAt: timestamp('expires_at').notNull(),
});
