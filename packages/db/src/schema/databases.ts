import { DATABASE_KINDS } from '@gleaner/contracts';
import { index, text, unique } from 'drizzle-orm/pg-core';
import { ownerColumn } from './accounts.ts';
import { bytes, gleaner, timestampNow } from './namespace.ts';

/** Where an account stores rows: a schema in this Postgres, or the account's own Postgres. */
export const databases = gleaner.table(
  'databases',
  {
    /** Also the name of a managed database's schema. */
    id: text().primaryKey(),
    accountId: ownerColumn(),
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
  },
  (table) => [
    index('databases_account').on(table.accountId, table.id),
    unique('databases_name').on(table.accountId, table.name),
  ],
);
