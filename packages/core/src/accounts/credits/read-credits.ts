import { AppError } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Context, Perform } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';

const { ledgerEntries } = tables;

/** @throws AppError not_found */
async function readAccount({ services, accountId }: Context) {
  const { balance, concurrency, id } = tables.accounts;
  const [account] = await services.db.orm
    .select({ balance, concurrency })
    .from(tables.accounts)
    .where(eq(id, accountId));
  if (!account) throw new AppError('not_found');
  return account;
}

/** The credits in the answer's headers: of a call that has charged nothing yet, none used. */
export async function creditsOf(ctx: Context): Promise<NonNullable<Context['credits']>> {
  return (ctx.credits ??= { used: 0, remaining: (await readAccount(ctx)).balance });
}

export const getCredits: Perform<'getCredits'> = async (ctx) => {
  const { balance, concurrency } = await readAccount(ctx);
  return { creditBalance: balance, concurrency };
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
