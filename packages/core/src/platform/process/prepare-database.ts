import { migrate } from '@gleaner/db';
import { migratePostgresQueue } from '@gleaner/queue';

/** Migrates tables, functions and BullMQ's tables to this version. Several processes may call it concurrently. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  await migratePostgresQueue(databaseUrl);
}
