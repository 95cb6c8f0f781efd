import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { digestKey, readPublicId } from './key-format.ts';

const { accounts, apiKeys } = tables;

export interface Actor {
  accountId: string;
  keyId: string;
  requestsPerMinute: number;
}

/**
 * Resolves a key to its account.
 * @throws AppError unauthorized, with the same text for absent, malformed, unknown and revoked keys
 */
export async function authenticate(db: Database, key: string | undefined): Promise<Actor> {
  const publicId = key === undefined ? null : readPublicId(key);
  if (key === undefined || publicId === null) throw new AppError('unauthorized');
  const [row] = await db.orm
    .select({
      keyId: apiKeys.id,
      digest: apiKeys.digest,
      accountId: accounts.id,
      requestsPerMinute: accounts.requestsPerMinute,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.publicId, publicId), isNull(apiKeys.revokedAt), eq(accounts.isActive, true)));
  if (!row || !timingSafeEqual(row.digest, digestKey(key))) throw new AppError('unauthorized');
  return { accountId: row.accountId, keyId: row.keyId, requestsPerMinute: row.requestsPerMinute };
}

/** Records that a key was used, at most once a minute per key. */
export async function touchKey(db: Database, keyId: string): Promise<void> {
  await db.orm
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.id, keyId),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, sql`now() - interval '1 minute'`)),
      ),
    );
}
