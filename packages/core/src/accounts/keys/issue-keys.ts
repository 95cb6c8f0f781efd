import { AppError, type getKey, type OperationOutput } from '@gleaner/contracts';
import { tables, type Executor, type Database } from '@gleaner/db';
import { requireName } from '../account-record.ts';
import { createId } from '../../platform/ids.ts';
import { generateKey } from './key-ring.ts';
import { desc, eq, sql } from 'drizzle-orm';

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
