import type { Database } from '@gleaner/db';
import { seal, unseal } from './seal.ts';

const SETTING = 'secret_check';
const TEXT = 'gleaner';

/**
 * Whether the database's secrets are sealed with this key. The first key of a database seals a word in
 * `gleaner.settings`, and later keys must open it. Without that row, the next key becomes the first.
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
