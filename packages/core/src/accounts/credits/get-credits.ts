import type { getCredits as operation, OperationOutput } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';

export async function getCredits(ctx: Context): Promise<OperationOutput<typeof operation>> {
  const [account] = await ctx.services.db.orm
    .select({ balance: tables.accounts.balance, concurrency: tables.accounts.concurrency })
    .from(tables.accounts)
    .where(eq(tables.accounts.id, ctx.accountId));
  if (!account) throw new AppError('not_found');
  return { creditBalance: account.balance, concurrency: account.concurrency };
}
