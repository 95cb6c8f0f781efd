import { tables, type Database } from '@gleaner/db';
import { and, desc, ilike, lt, or, eq } from 'drizzle-orm';
import { toAccountRecord, type AccountRecord } from './account-record.ts';

/**
 * A page of accounts, newest first.
 * @param text a part of the name, or an identifier
 * @param after the identifier that the page before ended with
 */
export async function findAccounts(
  db: Database,
  { text, after, limit }: { text?: string | undefined; after?: string | undefined; limit: number },
): Promise<AccountRecord[]> {
  const { accounts } = tables;
  const pattern = `%${(text ?? '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const rows = await db.orm
    .select()
    .from(accounts)
    .where(
      and(
        text === undefined || text === ''
          ? undefined
          : or(ilike(accounts.name, pattern), eq(accounts.id, text)),
        after === undefined ? undefined : lt(accounts.id, after),
      ),
    )
    .orderBy(desc(accounts.id))
    .limit(limit);
  return rows.map(toAccountRecord);
}
