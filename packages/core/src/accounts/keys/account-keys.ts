import { AppError } from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { write, type Context, type Perform, type OutputOf } from '../../platform/context.ts';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limiter.ts';
import { lockAccount } from '../account-record.ts';
import { requireName } from '../account-record.ts';
import { createKey, toKeyRecord, type KeyRecord } from './issue-keys.ts';

/** Most working keys of one account. */
const MAX_KEYS = 100;
/** Revoked keys are rows as well, so the making of keys has a limit of its own. */
const NEW_KEYS_PER_MINUTE = 120;
const { apiKeys } = tables;

type Key = OutputOf<'getKey'>;

function withoutAccount({ account_id: _account, ...key }: KeyRecord): Key {
  return key;
}

function ofAccount({ accountId }: Context, id: string) {
  return and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));
}

function toKey(row: typeof apiKeys.$inferSelect | undefined, id: string): Key {
  if (!row) throw new AppError('not_found', { detail: `there is no key ${id}` });
  return withoutAccount(toKeyRecord(row));
}

/** The keys of the account, newest first, without those that were revoked more than 90 days ago. */
export const listAccountKeys: Perform<'listKeys'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    apiKeys.id,
    [
      eq(apiKeys.accountId, ctx.accountId),
      sql`coalesce(${apiKeys.revokedAt} > now() - interval '90 days', true)`,
      matchesSearch(query.search, apiKeys),
    ],
    ctx.services.db.orm.select().from(apiKeys),
  );
  return { keys: items.map((row) => withoutAccount(toKeyRecord(row))), pagination };
};

export const getAccountKey: Perform<'getKey'> = async (ctx, { params: { id } }) => {
  const [row] = await ctx.services.db.orm.select().from(apiKeys).where(ofAccount(ctx, id));
  return toKey(row, id);
};

/** @throws AppError plan_limit_exceeded */
async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  const [{ working } = { working: 0 }] = await tx
    .select({ working: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), sql`${apiKeys.revokedAt} IS NULL`));
  if (working < MAX_KEYS) return;
  throw new AppError('plan_limit_exceeded', {
    detail: `the account has ${working} working keys, of at most ${MAX_KEYS}`,
    hint: 'Revoke one that is not used any more.',
  });
}

/** Creates a key. Only the result contains the key itself. @throws AppError plan_limit_exceeded */
export const createAccountKey: Perform<
  'createKey',
  Context['services'] & { rateLimiter: RateLimiter }
> = async (ctx, { body: { name } }) => {
  const { accountId } = ctx;
  await ctx.services.rateLimiter.consume(`keys:${accountId}`, NEW_KEYS_PER_MINUTE);
  return write(ctx, async (tx) => {
    await requireRoom(tx, accountId);
    const { record, key } = await createKey(tx, { accountId, name });
    return { ...withoutAccount(record), api_key: key };
  });
};

export const updateAccountKey: Perform<'updateKey'> = async (ctx, { params: { id }, body: { name } }) => {
  const [row] = await ctx.services.db.orm
    .update(apiKeys)
    .set({ name: name === undefined ? sql`${apiKeys.name}` : requireName(name) })
    .where(ofAccount(ctx, id))
    .returning();
  return toKey(row, id);
};

/** Revokes a key of this account. Takes effect within a second. @throws AppError not_found */
export const deleteAccountKey: Perform<'deleteKey'> = async (ctx, { params: { id } }) => {
  const [row] = await ctx.services.db.orm
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(ofAccount(ctx, id))
    .returning();
  toKey(row, id);
};
