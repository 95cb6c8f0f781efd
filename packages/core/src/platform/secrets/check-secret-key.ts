import type { Database } from '@gleaner/db';
import { seal, unseal } from './seal.ts';

const SETTING = 'secret_check';
const TEXT = 'gleaner';

/**
 * Whether this key is the one that the database's secrets are sealed with. The first key that a database sees is kept, as
 * a sealed word in `gleaner.settings`; without that row the next key counts as the first.
 */
export async function isSecretKeyOf({ sql }: Database, secretKey: string): Promise<boolean> {
  const place = { secretKey, place: `settings:${SETTING}` };
  const sealed = seal(TEXT, place).toString('base64');
  await sql`INSERT INTO gleaner.settings (name, value) VALUES (${SETTING}, ${sealed}) ON CONFLICT (name) DO NOTHING`;
  const [kept] = await sql<{ value: string }[]>`SELECT value FROM gleaner.settings WHERE name = ${SETTING}`;
  if (!kept) throw new Error('the secret check was not stored');
  try {
    return unseal(Buffer.from(kept.value, 'base64'), place) === TEXT;
  } catch {
    return false;
  }
}
