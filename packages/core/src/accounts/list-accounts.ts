import { tables, type Database } from '@gleaner/db';
import { desc } from 'drizzle-orm';
import { toAccountRecord, type AccountRecord } from './account-record.ts';

/** All accounts, newest first. */
export async function listAccounts(db: Database): Promise<AccountRecord[]> {
  const rows = await db.orm.select().from(tables.accounts).orderBy(desc(tables.accounts.id));
  return rows.map(toAccountRecord);
}
