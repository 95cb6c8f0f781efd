import type { Database } from '@gleaner/db';

const SETTLED = 500;

/** Looks for runs of firings that have ended: failures in a row pause their cron. */
export async function settleFirings({ sql }: Database): Promise<void> {
  let count = SETTLED;
  while (count >= SETTLED) {
    const [row] = await sql<{ count: number }[]>`SELECT engine.settle_firings(${SETTLED}) AS count`;
    count = row?.count ?? 0;
  }
}
