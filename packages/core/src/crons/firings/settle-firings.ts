import { ENGINE, type Database } from '@gleaner/db';

/** The most crons of one statement: ten thousand runs that end together are no burst of work for Postgres. */
const TOGETHER = 500;

/** Finds ended runs of firings. Consecutive failures pause their cron. */
export async function settleFirings({ sql }: Pick<Database, 'sql'>, together = TOGETHER): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`SELECT ${sql(ENGINE)}.settle_firings(${together}) AS count`;
    if ((row?.count ?? 0) < together) return;
  }
}
