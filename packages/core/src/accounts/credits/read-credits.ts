import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Perform } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';

const { ledgerEntries } = tables;

/** @throws AppError not_found */
export async function readBalance(db: Database, accountId: string): Promise<number> {
  const [account] = await db.orm
    .select({ balance: tables.accounts.balance })
    .from(tables.accounts)
    .where(eq(tables.accounts.id, accountId));
  if (!account) throw new AppError('not_found');
  return account.balance;
}

export const getCredits: Perform<'getCredits'> = async (ctx) => {
  const [account] = await ctx.services.db.orm
    .select({ balance: tables.accounts.balance, concurrency: tables.accounts.concurrency })
    .from(tables.accounts)
    .where(eq(tables.accounts.id, ctx.accountId));
  if (!account) throw new AppError('not_found');
  return { creditBalance: account.balance, concurrency: account.concurrency };
};

export const listLedger: Perform<'listLedger'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    ledgerEntries.id,
    [eq(ledgerEntries.accountId, ctx.accountId)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(ledgerEntries).where(where).orderBy(order).limit(limit),
  );
  return {
    entries: items.map((entry) => ({
      id: String(entry.id),
      kind: entry.kind,
      credits: entry.credits,
      reference: entry.reference,
      created_at: entry.createdAt,
    })),
    pagination,
  };
};
