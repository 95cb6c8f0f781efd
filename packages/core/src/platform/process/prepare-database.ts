import { migrate, type MigrateOptions } from '@gleaner/db';
import { migratePostgresQueue } from '@gleaner/queue';

export interface DatabaseUrls {
  databaseUrl: string;
  /** The same database past a pooler; equal to `databaseUrl` when there is none. */
  directDatabaseUrl: string;
}

/**
 * Brings tables, functions and BullMQ's own tables to this version. Safe when several processes call it at once.
 * @param database a URL without a pooler, or both URLs
 * @param options how long to wait for processes of an earlier version, and what to call then
 * @throws EarlierProcessesError when such processes still run
 */
export async function prepareDatabase(
  database: string | DatabaseUrls,
  options: Partial<Pick<MigrateOptions, 'waitMs' | 'onWait'>> = {},
): Promise<void> {
  const { databaseUrl, directDatabaseUrl } =
    typeof database === 'string' ? { databaseUrl: database, directDatabaseUrl: database } : database;
  await migrate(directDatabaseUrl, { ...options, isPooled: databaseUrl !== directDatabaseUrl });
  await migratePostgresQueue(directDatabaseUrl);
}
