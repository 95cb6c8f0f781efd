import { AppError, type getKey, type OperationOutput } from '@gleaner/contracts';
import { tables, type Executor, type Database, type Transaction } from '@gleaner/db';
import { requireName, lockAccount } from '../account-record.ts';
import { createId } from '../../platform/ids.ts';
import { generateKey } from './key-ring.ts';
import { desc, eq, sql, and, isNull } from 'drizzle-orm';
import { write, type Context, type Perform, type OutputOf } from '../../platform/context.ts';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limiter.ts';

export type KeyRecord = OperationOutput<typeof getKey> & { account_id: string };

export function toKeyRecord(row: typeof tables.apiKeys.$inferSelect): KeyRecord {
  return {
    id: row.id,
    account_id: row.accountId,
    name: row.name,
    shown: `gln_${row.publicId}_…${row.lastFour}`,
    created_at: row.createdAt,
    last_used_at: row.lastUsedAt,
    revoked_at: row.revokedAt,
  };
}

/** Creates a key. Only the result contains the key itself. @throws AppError invalid_request for its name */
export async function createKey(
  db: Executor,
  input: { accountId: string; name: string },
): Promise<{ record: KeyRecord; key: string }> {
  const { key, publicId, lastFour, digest } = generateKey();
  const [row] = await db
    .insert(tables.apiKeys)
    .values({
      id: createId('key'),
      accountId: input.accountId,
      name: requireName(input.name),
      publicId,
      lastFour,
      digest,
    })
    .returning();
  if (!row) throw new Error('the new key was not returned');
  return { record: toKeyRecord(row), key };
}

/** Keys of one account, or of all, newest first. */
export async function listKeys(db: Database, accountId?: string): Promise<KeyRecord[]> {
  const rows = await db.orm
    .select()
    .from(tables.apiKeys)
    .where(accountId === undefined ? undefined : eq(tables.apiKeys.accountId, accountId))
    .orderBy(desc(tables.apiKeys.id));
  return rows.map(toKeyRecord);
}

/** Revokes a key within a second, for which API processes cache valid keys. @throws AppError not_found */
export async function revokeKey(db: Database, id: string): Promise<KeyRecord> {
  const [row] = await db.orm
    .update(tables.apiKeys)
    .set({ revokedAt: sql`coalesce(${tables.apiKeys.revokedAt}, now())` })
    .where(eq(tables.apiKeys.id, id))
    .returning();
  if (!row) throw new AppError('not_found', { detail: `there is no key ${id}` });
  return toKeyRecord(row);
}

/** Most working keys of one account. */
const MAX_KEYS = 100;
/** Revoked keys are rows as well, so the making of keys has a limit of its own. */
const NEW_KEYS_PER_MINUTE = 120;
const { apiKeys } = tables;

type Key = OutputOf<'getKey'>;

function ofAccount({ accountId }: Context, id: string) {
  return and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));
}

function toKey([row]: readonly (typeof apiKeys.$inferSelect)[], id: string): Key {
  if (!row) throw new AppError('not_found', { detail: `there is no key ${id}` });
  const { account_id: _account, ...key } = toKeyRecord(row);
  return key;
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
  return { keys: items.map((row) => toKey([row], row.id)), pagination };
};

export const getAccountKey: Perform<'getKey'> = async (ctx, { params: { id } }) => {
  return toKey(await ctx.services.db.orm.select().from(apiKeys).where(ofAccount(ctx, id)), id);
};

/** @throws AppError plan_limit_exceeded */
async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  const working = await tx.$count(apiKeys, and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
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
    const { account_id: _account, ...shown } = record;
    return { ...shown, api_key: key };
  });
};

export const updateAccountKey: Perform<'updateKey'> = async (ctx, { params: { id }, body: { name } }) => {
  const rows = await ctx.services.db.orm
    .update(apiKeys)
    .set({ name: name === undefined ? sql`${apiKeys.name}` : requireName(name) })
    .where(ofAccount(ctx, id))
    .returning();
  return toKey(rows, id);
};

/** Revokes a key of this account. Takes effect within a second. @throws AppError not_found */
export const deleteAccountKey: Perform<'deleteKey'> = async (ctx, { params: { id } }) => {
  const rows = await ctx.services.db.orm
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(ofAccount(ctx, id))
    .returning();
  toKey(rows, id);
};
