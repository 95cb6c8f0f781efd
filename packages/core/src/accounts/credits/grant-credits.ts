import { AppError } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, gte, sql } from 'drizzle-orm';
import { ulid } from 'ulid';

const { accounts, ledgerEntries } = tables;

/**
 * Adds credits to an account. Negative credits remove credits that are not reserved.
 * @throws AppError not_found, or insufficient_credits when the account has fewer unreserved credits
 */
export async function grantCredits(
  db: Executor,
  input: { accountId: string; credits: number },
): Promise<typeof accounts.$inferSelect> {
  const { accountId, credits } = input;
  const [account] = await db
    .update(accounts)
    .set({ granted: sql`${accounts.granted} + ${credits}`, balance: sql`${accounts.balance} + ${credits}` })
    .where(and(eq(accounts.id, accountId), gte(sql`${accounts.balance} + ${credits}`, accounts.reserved)))
    .returning();
  if (!account) {
    const [known] = await db.select().from(accounts).where(eq(accounts.id, accountId));
    if (!known) throw new AppError('not_found', { detail: `there is no account ${accountId}` });
    throw new AppError('insufficient_credits', {
      members: { required: -credits, available: known.balance - known.reserved },
    });
  }
  if (credits !== 0) {
    await db
      .insert(ledgerEntries)
      .values({ accountId, kind: 'grant', credits, reference: `grant_${ulid().toLowerCase()}` });
  }
  return account;
}
