import { sql } from 'drizzle-orm';
import { integer, text } from 'drizzle-orm/pg-core';
import { gleaner, timestamp, timestampNow } from './namespace.ts';

/** Versions of the `engine` functions that the database holds side by side. */
export const engineVersions = gleaner.table('engine_versions', {
  schema: text().primaryKey(),
  /** When the database was last migrated to this version. */
  installedAt: timestamp('installed_at')
    .notNull()
    .default(sql`clock_timestamp()`),
});

/** Running API, worker and scheduler processes, and the functions that they call. */
export const processes = gleaner.table('processes', {
  id: text().primaryKey(),
  kind: text().notNull(),
  /** Version of Gleaner, with its commit when that is known. */
  version: text().notNull(),
  engine: text().notNull(),
  host: text().notNull(),
  pid: integer().notNull(),
  startedAt: timestampNow('started_at'),
  seenAt: timestampNow('seen_at'),
});
