import type { Database } from '@gleaner/db';
import { readDatabaseTime } from './read-database-time.ts';

/** How long a comparison of the clocks counts. */
const KEEP_MS = 60_000;

/** Postgres' clock as this process knows it, which clock corrections of the machine don't change. */
export interface DatabaseClock {
  /** The time of Postgres so many milliseconds ago, within the time of one round trip. */
  ago(ms: number): Promise<Date>;
}

export function createDatabaseClock(db: Database): DatabaseClock {
  let offset: Promise<number> | undefined;
  let comparedAt = -Infinity;
  const compare = async (): Promise<number> => {
    const time = await readDatabaseTime(db);
    return Date.parse(time) - performance.now();
  };
  return {
    ago: async (ms) => {
      if (offset === undefined || performance.now() - comparedAt > KEEP_MS) {
        comparedAt = performance.now();
        const comparing = compare();
        offset = comparing;
        comparing.catch(() => {
          if (offset === comparing) offset = undefined;
        });
      }
      return new Date((await offset) + performance.now() - ms);
    },
  };
}
