import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { toKeyRecord, type KeyRecord } from './create-key.ts';

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
