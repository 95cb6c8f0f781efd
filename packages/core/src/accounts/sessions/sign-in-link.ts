import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, gt, sql } from 'drizzle-orm';
import { authenticate } from '../keys/key-ring.ts';
import { createToken, digestToken } from './sessions.ts';

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
