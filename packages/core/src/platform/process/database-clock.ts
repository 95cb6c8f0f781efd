import type { Database } from '@gleaner/db';
import { readDatabaseTime } from './read-database-time.ts';

/** How long a comparison of the clocks counts. */
const KEEP_MS = 60_000;

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

/** Postgres' clock as this process knows it, which clock corrections of the machine don't change. */
export function createDatabaseClock(db: Database) {
  let offset: Promise<number> | undefined;
  let comparedAt = -Infinity;
  const compare = async (): Promise<number> => Date.parse(await readDatabaseTime(db.orm)) - performance.now();
  return {
    /** The time of Postgres so many milliseconds ago, within the time of one round trip. */
    ago: async (ms: number): Promise<Date> => {
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
