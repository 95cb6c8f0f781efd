import { DATABASE_KINDS } from '@gleaner/contracts';
import { text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestampNow } from './namespace.ts';

/** Where an account stores rows: a schema in this Postgres, or the account's own Postgres. */
export const databases = gleaner.table('databases', {
  /** Also the name of a managed database's schema. */
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  slug: text(),
  name: text().notNull(),
  kind: text({ enum: DATABASE_KINDS }).notNull(),
  /** External: the sealed connection URL. */
  connection: bytes(),
  /** External: host:port/database, to be shown. */
  host: text(),
  /** Managed: the read-only login, once there is one. */
  reader: text(),
  createdAt: timestampNow('created_at'),
  updatedAt: timestampNow('updated_at'),
});
