import type { Database } from '@gleaner/db';
import { authenticate } from '../accounts/keys/key-ring.ts';
import { openAccountSession } from '../accounts/sessions/sessions.ts';

/** A session of the dashboard without a sign-in, of which a network may try only some a minute. @returns its token */
export async function openTestSession(db: Database, apiKey: string): Promise<string> {
  const { keyId } = await authenticate(db, apiKey);
  return openAccountSession(db, keyId);
}
