import { DATABASE_KINDS } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import { index, text, unique } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { bytes, gleaner, timestamp } from './namespace.ts';

/** Where an account stores rows: a schema in this Postgres, or the account's own Postgres. */
export const databases = gleaner.table(
  'databases',
  {
    /** Also the name of a managed database's schema. */
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    kind: text({ enum: DATABASE_KINDS }).notNull(),
    /** External: the sealed connection URL. */
    connection: bytes(),
    /** External: host:port/database, to be shown. */
    host: text(),
    /** Managed: the read-only login, once there is one. */
    reader: text(),
    createdAt: timestamp('created_at')
      .notNull()
      .default(sql`now()`),
    updatedAt: timestamp('updated_at')
      .notNull()
      .default(sql`now()`),
  },
  (table) => [
    index('databases_account').on(table.accountId, table.id),
    unique('databases_name').on(table.accountId, table.name),
  ],
);
