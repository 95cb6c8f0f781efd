import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { eq } from 'drizzle-orm';

/** @throws AppError not_found */
export async function readBalance(db: Database, accountId: string): Promise<number> {
  const [account] = await db.orm
    .select({ balance: tables.accounts.balance })
    .from(tables.accounts)
    .where(eq(tables.accounts.id, accountId));
  if (!account) throw new AppError('not_found');
  return account.balance;
}
