import { tables, type Database } from '@gleaner/db';
import { lt, sql } from 'drizzle-orm';

/** Removes expired sessions and sign-in links. */
export async function sweepSessions(db: Database): Promise<void> {
  await db.orm.delete(tables.sessions).where(lt(tables.sessions.expiresAt, sql`now()`));
  await db.orm.delete(tables.signInLinks).where(lt(tables.signInLinks.expiresAt, sql`now()`));
}
