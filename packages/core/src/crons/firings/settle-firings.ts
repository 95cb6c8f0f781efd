import type { Database } from '@gleaner/db';

const SETTLED = 500;

/** Finds ended runs of firings. Consecutive failures pause their cron. */
export async function settleFirings({ sql }: Database): Promise<void> {
  let count = SETTLED;
  while (count >= SETTLED) {
    const [row] = await sql<{ count: number }[]>`SELECT engine.settle_firings(${SETTLED}) AS count`;
    count = row?.count ?? 0;
  }
}
