import { ENGINE, type Database } from '@gleaner/db';

/** The most firings of one look. Their runs are three pages each. */
const LOOKED = 500;

interface Place {
  cron: string;
  firing: string;
}

const START: Place = { cron: '', firing: '' };

/**
 * Returns a function that finds ended runs of firings. Consecutive failures pause their cron. A call looks at a part of
 * the firings, so that ten thousand unfinished runs are no burst of work for Postgres.
 * @param pauseMs from the first look at all firings to the next
 * @param most the most firings of one look
 */
export function createFiringSettler({ sql }: Database, pauseMs: number, most = LOOKED): () => Promise<void> {
  /** Where the next look continues; undefined after the last firing. */
  let place: Place | undefined = START;
  let startedAt = performance.now();
  return async () => {
    if (!place) {
      if (performance.now() < startedAt + pauseMs) return;
      startedAt = performance.now();
      place = START;
    }
    const { cron, firing } = place;
    [place] = await sql<
      Place[]
    >`SELECT cron, firing FROM ${sql(ENGINE)}.settle_firings(${cron}, ${firing}, ${most})`;
  };
}
