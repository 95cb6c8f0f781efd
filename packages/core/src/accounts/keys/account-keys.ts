import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { createKey, toKeyRecord, type KeyRecord } from './create-key.ts';

/** Most working keys of one account. */
const MAX_KEYS = 100;

/**
 * Makes a key for an account that asks for one itself.
 * @throws AppError plan_limit_exceeded, invalid_request for its name
 */
export function createAccountKey(
  db: Database,
  input: { accountId: string; name: string },
): Promise<{ record: KeyRecord; key: string }> {
  return db.transact(async (tx) => {
    const { accounts, apiKeys } = tables;
    // The row lock counts keys of the same account one after another.
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, input.accountId)).for('update');
    const [{ working } = { working: 0 }] = await tx
      .select({ working: sql<number>`count(*)::int` })
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, input.accountId), sql`${apiKeys.revokedAt} IS NULL`));
    if (working >= MAX_KEYS) {
      throw new AppError('plan_limit_exceeded', {
        detail: `the account has ${working} working keys, of at most ${MAX_KEYS}`,
        hint: 'Revoke one that is no longer used.',
      });
    }
    return createKey(tx, input);
  });
}

/** Revokes a key of this account. Takes effect within a second. @throws AppError not_found */
export async function revokeAccountKey(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<KeyRecord> {
  const { apiKeys } = tables;
  const [row] = await db.orm
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId)))
    .returning();
  if (!row) throw new AppError('not_found', { detail: `there is no key ${id}` });
  return toKeyRecord(row);
}
