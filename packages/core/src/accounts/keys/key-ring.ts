import { createHash } from 'node:crypto';
import type { Database } from '@gleaner/db';
import type { Logger } from '../../platform/log/log.ts';
import { authenticate, touchKey, type Actor } from './authenticate.ts';

/** How long a key that was good stays good without another look: revoking it takes effect within this time. */
const KEEP_MS = 1_000;
const TOUCH_EVERY_MS = 60_000;
const MAX_ENTRIES = 10_000;

/** Resolves keys to accounts; remembers the good ones for a second, by their digests. */
export interface KeyRing {
  /** @throws AppError unauthorized */
  authenticate(key: string | undefined): Promise<Actor>;
}

interface Entry {
  actor: Promise<Actor>;
  readAt: number;
}

function makeRoom(entries: Map<string, unknown>): void {
  const [oldest] = entries.keys();
  if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
}

/** @param now the clock in ms, so that tests can set it */
export function createKeyRing(db: Database, log: Logger, now: () => number = Date.now): KeyRing {
  const entries = new Map<string, Entry>();
  const touchedAt = new Map<string, number>();
  const touch = ({ keyId }: Actor): void => {
    const at = now();
    if (at - (touchedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    touchedAt.delete(keyId);
    makeRoom(touchedAt);
    touchedAt.set(keyId, at);
    touchKey(db, keyId).catch((error: unknown) =>
      log.warn({ err: error, keyId }, 'the use of a key was not noted'),
    );
  };
  return {
    authenticate: async (key) => {
      if (key === undefined) return authenticate(db, key);
      const digest = createHash('sha256').update(key).digest('base64');
      const known = entries.get(digest);
      if (known && now() - known.readAt < KEEP_MS) return known.actor;
      const entry: Entry = { actor: authenticate(db, key), readAt: now() };
      entries.delete(digest);
      makeRoom(entries);
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
