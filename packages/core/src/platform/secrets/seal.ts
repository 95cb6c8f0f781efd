import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { type Database, ENGINE } from '@gleaner/db';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function readKey(secretKey: string | undefined): Buffer {
  if (secretKey === undefined)
    throw new AppError('temporarily_unavailable', {
      detail: 'GLEANER_SECRET_KEY is not set, so secrets cannot be stored or read',
      retryable: false,
    });
  return Buffer.from(secretKey, 'hex');
}

export interface SealContext {
  /** 64 hexadecimal digits: the configuration's secretKey. */
  secretKey: string | undefined;
  /** The owner of the secret, such as `database:db_…`. A sealed text that was moved to another row does not open. */
  place: string;
}

/**
 * AES-256-GCM: version byte, nonce, tag, ciphertext.
 * @throws AppError temporarily_unavailable without a key
 */
export function seal(text: string, { secretKey, place }: SealContext): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', readKey(secretKey), nonce).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
}

/** @throws AppError temporarily_unavailable when the key is absent or is not the one that sealed it */
export function unseal(sealed: Uint8Array, { secretKey, place }: SealContext): string {
  const bytes = Buffer.from(sealed);
  const key = readKey(secretKey);
  try {
    if (bytes[0] !== VERSION) throw new Error(`unknown version ${bytes[0]}`);
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
    return Buffer.concat([
      decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8');
  } catch (error) {
    throw new AppError('temporarily_unavailable', {
      detail: 'a stored secret cannot be opened: GLEANER_SECRET_KEY has changed since it was stored',
      retryable: false,
      cause: error,
    });
  }
}

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

/** Lets the next key become the first of the database. What an earlier one sealed stays lost. */
export async function forgetSecretKey({ sql }: Database): Promise<void> {
  await sql`DELETE FROM gleaner.settings WHERE name = ${SETTING}`;
}

/**
 * Whether a process of another version was seen in the last minutes. An earlier one can't open what is sealed at parsers,
 * crons and workflows and would do without it, so these are stored in clear meanwhile; `sealStored` seals them later.
 */
export async function mustStoreInClear({ sql }: Database): Promise<boolean> {
  const [other] = await sql`
    SELECT FROM gleaner.processes WHERE engine <> ${ENGINE} AND seen_at > now() - interval '3 minutes' LIMIT 1`;
  return other !== undefined;
}
