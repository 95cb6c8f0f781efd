import { AppError } from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { eq } from 'drizzle-orm';

const { accounts } = tables;

/** Locks the account until the commit, so that concurrent creations are counted one after another. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<typeof accounts.$inferSelect> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId)).for('no key update');
  if (!account) throw new AppError('unauthorized');
  return account;
}
