import { AppError, toStorableJson } from '@gleaner/contracts';
import { ENGINE, tables, type Executor } from '@gleaner/db';
import { and, eq, gte, sql } from 'drizzle-orm';
import { ulid } from 'ulid';
import { readStored } from '../../platform/stored/stored-bytes.ts';
import type { Context, Perform } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';

const { accounts, ledgerEntries } = tables;

/** A balance below this tenth of all grants is low, as `credits.low` says. */
function lowBelow(granted: number): number {
  return Math.ceil(granted / 10);
}

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
  if (credits !== 0)
    await db
      .insert(ledgerEntries)
      .values({ accountId, kind: 'grant', credits, reference: `grant_${ulid().toLowerCase()}` });
  const { balance, reserved, granted } = account;
  const threshold = lowBelow(granted);
  if (balance - credits < lowBelow(granted - credits) && balance >= threshold) {
    const data = toStorableJson({ balance, reserved, threshold });
    await db.execute(sql`
      SELECT ${sql.identifier(ENGINE)}.emit_event(${accountId}, 'credits.low', ${data}::text::json, p_resolved => true)`);
  }
  return account;
}

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
  const { db, config } = ctx.services;
  const [{ balance, concurrency }, { bytes }] = await Promise.all([
    readAccount(ctx),
    readStored(db, ctx.accountId),
  ]);
  return {
    creditBalance: balance,
    concurrency,
    storedBytes: bytes,
    storedBytesLimit: config.accountBytes,
  };
};

export const listLedger: Perform<'listLedger'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    ledgerEntries.id,
    [eq(ledgerEntries.accountId, ctx.accountId)],
    ctx.services.db.orm.select().from(ledgerEntries),
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
