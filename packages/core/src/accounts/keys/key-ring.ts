import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/log/log.ts';
import { createAccessWatch } from './watch-access.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^gln_([0-9A-Za-z]{8})_[0-9A-Za-z]{38}$/;

function randomText(length: number): string {
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text;
  return text;
}

/** A key's last six characters tell a typing error without a query. */
export function withChecksum(body: string): string {
  return body + toBase62(crc32(body), 6);
}

export function digestKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** `gln_<8 id>_<32 base62 random><6 base62 CRC32 of all before it>`; the random part has 190 bits. */
export function generateKey(): { key: string; publicId: string; lastFour: string; digest: Buffer } {
  const publicId = randomText(8);
  const body = `gln_${publicId}_${randomText(32)}`;
  const key = withChecksum(body);
  return { key, publicId, lastFour: key.slice(-4), digest: digestKey(key) };
}

/** The public id of a well-formed key; null for a typing error. Needs no query. */
export function readPublicId(key: string): string | null {
  const match = KEY_PATTERN.exec(key);
  if (!match) return null;
  const [, publicId = ''] = match;
  return withChecksum(key.slice(0, -6)) === key ? publicId : null;
}

const { accounts, apiKeys } = tables;

export interface Actor {
  accountId: string;
  keyId: string;
  requestsPerMinute: number;
}

function refused(detail: string, hint: string): AppError {
  return new AppError('unauthorized', { detail, hint });
}

const COPY_WHOLE = 'Copy the whole key: gln_, 8 characters, _ and 38 characters.';

/**
 * Resolves a key to its account.
 * @throws AppError unauthorized: no key, a malformed or unknown one, or one that was revoked, which only who has the whole
 * key is told
 */
export async function authenticate(db: Database, key: string | undefined): Promise<Actor> {
  if (key === undefined) throw new AppError('unauthorized');
  const publicId = readPublicId(key);
  if (publicId === null) throw refused('the key is malformed', COPY_WHOLE);
  const [row] = await db.orm
    .select({
      keyId: apiKeys.id,
      digest: apiKeys.digest,
      accountId: accounts.id,
      requestsPerMinute: accounts.requestsPerMinute,
      revokedAt: apiKeys.revokedAt,
      isActive: accounts.isActive,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.publicId, publicId));
  if (!row || !timingSafeEqual(row.digest, digestKey(key)))
    throw refused(
      'the key is unknown',
      'Use a key of this service: gleaner keys list shows where each is used.',
    );
  if (row.revokedAt !== null) throw refused(`the key was revoked at ${row.revokedAt}`, 'Use another key.');
  if (!row.isActive) throw refused('the account of the key is not active', 'Ask the operator.');
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

/** How long a valid key is cached. Revoking a key takes effect within this time. */
const KEEP_MS = 1_000;
const TOUCH_EVERY_MS = 60_000;
const MAX_ENTRIES = 10_000;

export type KeyRing = ReturnType<typeof createKeyRing>;

interface Entry {
  actor: Promise<Actor>;
  readAt: number;
}

/**
 * Resolves keys to accounts, and caches valid keys by digest for a second.
 * @param now the clock in ms, which tests can replace
 */
export function createKeyRing(db: Database, log: Logger, now: () => number = Date.now) {
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  const touchedAt = new LRUCache<string, number>({ max: MAX_ENTRIES });
  const touch = ({ keyId }: Actor): void => {
    const at = now();
    if (at - (touchedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    touchedAt.set(keyId, at);
    touchKey(db, keyId).catch((error: unknown) =>
      log.warn({ err: error, keyId }, 'could not record the use of a key'),
    );
  };
  return {
    /** Watches a call that may last longer than its key (see `createAccessWatch`). */
    watch: createAccessWatch(db, log),
    /** @throws AppError unauthorized */
    authenticate: async (key: string | undefined): Promise<Actor> => {
      if (key === undefined) return authenticate(db, key);
      const digest = createHash('sha256').update(key).digest('base64');
      const known = entries.get(digest);
      if (known && now() - known.readAt < KEEP_MS) return known.actor;
      const entry: Entry = { actor: authenticate(db, key), readAt: now() };
      entries.set(digest, entry);
      try {
        const actor = await entry.actor;
        touch(actor);
        return actor;
      } catch (error) {
        if (entries.get(digest) === entry) entries.delete(digest);
        throw error;
      }
    },
  };
}
