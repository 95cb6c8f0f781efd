import { tables, type Database } from '@gleaner/db';
import { desc } from 'drizzle-orm';
import { toAccountRecord, type AccountRecord } from './account-record.ts';
import { listPage } from '../platform/lists/page.ts';
import { matchesSearch } from '../platform/lists/search.ts';
import type { Perform } from '../platform/context.ts';

/** A page of all accounts, newest first. */
export const findAccounts: Perform<'listAccounts'> = async (ctx, { query }) => {
  const { accounts } = tables;
  const { items, pagination } = await listPage(
    query,
    accounts.id,
    [matchesSearch(query.text, accounts)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(accounts).where(where).orderBy(order).limit(limit),
  );
  return { accounts: items.map(toAccountRecord), pagination };
};

/** All accounts, newest first. */
export async function listAccounts(db: Database): Promise<AccountRecord[]> {
  const rows = await db.orm.select().from(tables.accounts).orderBy(desc(tables.accounts.id));
  return rows.map(toAccountRecord);
}
