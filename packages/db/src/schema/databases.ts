import { sql } from 'drizzle-orm';
import { index, text, unique } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { bytes, gleaner, timestamp } from './namespace.ts';

/** An account's place for rows: a schema of its own here, or its own Postgres elsewhere. */
export const databases = gleaner.table(
  'databases',
  {
    /** Also the name of a managed database's schema. */
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    kind: text({ enum: ['managed', 'postgres'] }).notNull(),
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
