import type { getKey, OperationOutput } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { requireName } from '../require-name.ts';
import { createId } from '../../platform/ids.ts';
import { generateKey } from './key-format.ts';

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
