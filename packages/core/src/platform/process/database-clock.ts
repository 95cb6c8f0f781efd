import type { Database } from '@gleaner/db';
import { readDatabaseTime } from './read-database-time.ts';

/** How long a comparison of the clocks counts. */
const KEEP_MS = 60_000;
/** How often the clocks are compared; the shortest round trip counts. */
const COMPARISONS = 3;

/** Postgres' clock as this process knows it, which clock corrections of the machine don't change. */
export interface DatabaseClock {
  /** Milliseconds since the epoch, right within half a round trip. */
  now(): number;
}

/** @returns what has to be added to performance.now() */
async function compare(db: Database): Promise<number> {
  let best = { tookMs: Infinity, offset: 0 };
  for (let count = 0; count < COMPARISONS; count += 1) {
    const before = performance.now();
    const time = Date.parse(await readDatabaseTime(db.orm));
    const tookMs = performance.now() - before;
    if (tookMs < best.tookMs) best = { tookMs, offset: time - (before + tookMs / 2) };
  }
  return best.offset;
}

/** Compares the clocks, and once a minute again while the clock is used. A Postgres that is away changes nothing. */
export async function openDatabaseClock(db: Database): Promise<DatabaseClock> {
  let offset = await compare(db);
  let comparedAt = performance.now();
  return {
    now: () => {
      if (performance.now() - comparedAt > KEEP_MS) {
        comparedAt = performance.now();
        compare(db).then(
          (found) => {
            offset = found;
          },
          () => undefined,
        );
      }
      return performance.now() + offset;
    },
  };
}
