import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, desc, eq, gt, inArray, isNull, sql, lt } from 'drizzle-orm';
import { authenticate } from '../keys/key-ring.ts';
import { createHash, randomBytes } from 'node:crypto';

/** A token with 256 random bits. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored digest of a token. A second part binds it to a secret, so the token is invalid when the secret changes. */
export function digestToken(token: string, secret = ''): Buffer {
  return createHash('sha256').update(`${token}\0${secret}`).digest();
}

/** Removes expired sessions and sign-in links. */
export async function sweepSessions(db: Database): Promise<void> {
  await db.orm.delete(tables.sessions).where(lt(tables.sessions.expiresAt, sql`now()`));
  await db.orm.delete(tables.signInLinks).where(lt(tables.signInLinks.expiresAt, sql`now()`));
}

const { accounts, apiKeys, sessions } = tables;

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 14 * 24 * 3600;
/** The most sessions per key. A further one ends the oldest. */
const SESSIONS_PER_KEY = 20;

/** Opens a session for a verified key. @returns the token for the cookie; only its digest is stored */
export async function openAccountSession(db: Database, keyId: string): Promise<string> {
  const token = createToken();
  await db.transact(async (tx) => {
    // Concurrent sign-ins with one key wait for each other, so that their counts are correct.
    const [key] = await tx
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
      .for('no key update');
    if (!key) throw new AppError('unauthorized');
    await tx.insert(sessions).values({
      digest: digestToken(token),
      kind: 'account',
      keyId,
      expiresAt: sql`now() + make_interval(secs => ${SESSION_SECONDS})`,
    });
    const surplus = tx
      .select({ digest: sessions.digest })
      .from(sessions)
      .where(eq(sessions.keyId, keyId))
      .orderBy(desc(sessions.createdAt), desc(sessions.digest))
      .offset(SESSIONS_PER_KEY);
    await tx.delete(sessions).where(inArray(sessions.digest, surplus));
  });
  return token;
}

/**
 * The account behind a session's token.
 * @throws AppError unauthorized, with the same text for unknown, ended and expired sessions and for revoked keys
 */
export async function findAccountSession(db: Database, token: string) {
  const [row] = await db.orm
    .select({
      keyId: apiKeys.id,
      keyName: apiKeys.name,
      publicId: apiKeys.publicId,
      lastFour: apiKeys.lastFour,
      accountId: accounts.id,
      accountName: accounts.name,
      requestsPerMinute: accounts.requestsPerMinute,
    })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(
      and(
        eq(sessions.digest, digestToken(token)),
        gt(sessions.expiresAt, sql`now()`),
        isNull(apiKeys.revokedAt),
        eq(accounts.isActive, true),
      ),
    );
  if (!row)
    throw new AppError('unauthorized', {
      detail: 'the session has ended, or its key was revoked',
      hint: 'Sign in again.',
    });
  const { publicId, lastFour, ...session } = row;
  return { ...session, keyShown: `gln_${publicId}_…${lastFour}` };
}

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
  const isActive = and(
    eq(sessions.digest, digestToken(token, password)),
    eq(sessions.kind, 'operator'),
    gt(sessions.expiresAt, sql`now()`),
  );
  return (await db.orm.$count(sessions, isActive)) > 0;
}

/** Ends a session; that of an operator with the password. Does nothing when it has already ended. */
export async function endSession(db: Database, token: string, password?: string): Promise<void> {
  await db.orm.delete(sessions).where(eq(sessions.digest, digestToken(token, password)));
}

const { signInLinks } = tables;

/** How long a sign-in link can be used, in seconds. */
const LINK_SECONDS = 24 * 3600;

/**
 * Creates a link that opens one session of a key. Earlier links of the key become invalid.
 * @returns its token
 * @throws AppError unauthorized for a key that is unknown or revoked
 */
export async function createSignInLink(db: Database, key: string): Promise<string> {
  const { keyId } = await authenticate(db, key);
  const token = createToken();
  await db.transact(async (tx) => {
    await tx.delete(signInLinks).where(eq(signInLinks.keyId, keyId));
    await tx.insert(signInLinks).values({
      digest: digestToken(token),
      keyId,
      expiresAt: sql`now() + make_interval(secs => ${LINK_SECONDS})`,
    });
  });
  return token;
}

/** Consumes a link. @returns its key @throws AppError unauthorized when it was used or is too old */
export async function redeemSignInLink(db: Database, token: string): Promise<{ keyId: string }> {
  const [row] = await db.orm
    .delete(signInLinks)
    .where(and(eq(signInLinks.digest, digestToken(token)), gt(signInLinks.expiresAt, sql`now()`)))
    .returning({ keyId: signInLinks.keyId });
  if (!row)
    throw new AppError('unauthorized', {
      detail: 'this sign-in link was already used, is older than a day, or was replaced by a newer one',
      hint: 'Sign in with an API key, or start Gleaner again for a new link.',
    });
  return row;
}
