import { createHash } from 'node:crypto';
import type { Database } from '@gleaner/db';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/log/log.ts';
import { authenticate, touchKey, type Actor } from './authenticate.ts';

/** How long a valid key is cached. Revoking a key takes effect within this time. */
const KEEP_MS = 1_000;
const TOUCH_EVERY_MS = 60_000;
const MAX_ENTRIES = 10_000;

/** Resolves keys to accounts, and caches valid keys by digest for a second. */
export interface KeyRing {
  /** @throws AppError unauthorized */
  authenticate(key: string | undefined): Promise<Actor>;
}

interface Entry {
  actor: Promise<Actor>;
  readAt: number;
}

/** @param now the clock in ms, which tests can replace */
export function createKeyRing(db: Database, log: Logger, now: () => number = Date.now): KeyRing {
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
    authenticate: async (key) => {
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
