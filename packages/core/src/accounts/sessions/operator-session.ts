import { tables, type Database } from '@gleaner/db';
import { and, eq, gt, sql } from 'drizzle-orm';
import { createToken, digestToken } from './account-session.ts';

const { sessions } = tables;

/** How long an operator's session lasts, in seconds. */
export const OPERATOR_SESSION_SECONDS = 12 * 3600;

/** Opens an operator's session after the password was verified. It ends when the password changes. */
export async function openOperatorSession(db: Database, password: string): Promise<string> {
  const token = createToken();
  await db.orm.insert(sessions).values({
    digest: digestToken(token, password),
    kind: 'operator',
    expiresAt: sql`now() + make_interval(secs => ${OPERATOR_SESSION_SECONDS})`,
  });
  return token;
}

/** Whether this token belongs to an active operator session that was opened with the current password. */
export async function isOperatorSession(db: Database, token: string, password: string): Promise<boolean> {
  const found = await db.orm
    .select({ kind: sessions.kind })
    .from(sessions)
    .where(
      and(
        eq(sessions.digest, digestToken(token, password)),
        eq(sessions.kind, 'operator'),
        gt(sessions.expiresAt, sql`now()`),
      ),
    );
  return found.length > 0;
}

export async function endOperatorSession(db: Database, token: string, password: string): Promise<void> {
  await db.orm.delete(sessions).where(eq(sessions.digest, digestToken(token, password)));
}
