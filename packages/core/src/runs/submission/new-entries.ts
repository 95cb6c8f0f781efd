import { ENGINE, type Database } from '@gleaner/db';

/** An entry of a sitemap or a feed. */
export interface SourceEntry {
  url: string;
  /** ISO 8601; absent when the source has no date. */
  modified: string | undefined;
}

/** The longest time of one round; the next round continues. */
const ROUND_MS = 10_000;

/**
 * Makes entries new again that cancelled runs had taken: a part in each transaction, which holds no account.
 * @param cronNo of this cron, to the end; else of all crons, for a while
 */
export async function forgetEntries({ sql }: Pick<Database, 'sql'>, cronNo?: string): Promise<void> {
  const until = cronNo === undefined ? performance.now() + ROUND_MS : Infinity;
  let isMore = true;
  while (isMore && performance.now() < until) {
    const rows = await sql<{ more: boolean }[]>`
      SELECT ${sql(ENGINE)}.forget_entries(${cronNo ?? null}) AS more`;
    isMore = rows[0]?.more === true;
  }
}

/** Entries that no run of the cron has taken, or that are dated later since. @param cronNo `crons.no` */
export async function findNewEntries<E extends SourceEntry>(
  db: Database,
  cronNo: string,
  entries: readonly E[],
): Promise<E[]> {
  if (entries.length === 0) return [];
  await forgetEntries(db, cronNo);
  const { sql } = db;
  const urls = entries.map(({ url }) => url).join('\n');
  const times = entries.map(({ modified }) => modified ?? '').join('\n');
  const rows = await sql<{ place: number }[]>`
    SELECT e.place::integer FROM ROWS FROM (
      string_to_table(${urls}, E'\\n'), string_to_table(${times}, E'\\n')) WITH ORDINALITY e (url, modified, place)
    LEFT JOIN LATERAL (
      SELECT * FROM gleaner.source_marks n WHERE n.cron_no = ${cronNo} AND n.hash = ${sql(ENGINE)}.url_hash(e.url) LIMIT 1
    ) m ON true
    WHERE m.hash IS NULL OR nullif(e.modified, '')::timestamptz > coalesce(m.modified, '-infinity')
    ORDER BY e.place`;
  return rows.flatMap(({ place }) => entries[place - 1] ?? []);
}
