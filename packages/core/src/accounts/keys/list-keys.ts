import { tables, type Database } from '@gleaner/db';
import { desc, eq } from 'drizzle-orm';
import { toKeyRecord, type KeyRecord } from './create-key.ts';

/** Keys of one account, or of all, newest first. */
export async function listKeys(db: Database, accountId?: string): Promise<KeyRecord[]> {
  const rows = await db.orm
    .select()
    .from(tables.apiKeys)
    .where(accountId === undefined ? undefined : eq(tables.apiKeys.accountId, accountId))
    .orderBy(desc(tables.apiKeys.id));
  return rows.map(toKeyRecord);
}
