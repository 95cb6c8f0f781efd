import { migrate } from '@gleaner/db';
import { migratePostgresQueue } from '@gleaner/queue';

/** Brings tables, functions and BullMQ's own tables to this version. Safe when several processes call it at once. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  await migratePostgresQueue(databaseUrl);
}
