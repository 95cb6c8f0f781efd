import { ENGINE, type Database } from '@gleaner/db';

/** An entry of a sitemap or a feed. */
export interface SourceEntry {
  url: string;
  /** ISO 8601; absent when the source has no date. */
  modified: string | undefined;
}

/** Those that no run of the cron has taken, or that are dated later since. @param cronNo `crons.no` */
export async function findNewEntries<E extends SourceEntry>(
  { sql }: Database,
  cronNo: string,
  entries: readonly E[],
): Promise<E[]> {
  if (entries.length === 0) return [];
  const urls = entries.map(({ url }) => url).join('\n');
  const times = entries.map(({ modified }) => modified ?? '').join('\n');
  const rows = await sql<{ place: number }[]>`
    SELECT n AS place FROM ${sql(ENGINE)}.new_entries(${cronNo}, ${urls}, ${times}) n`;
  return rows.flatMap(({ place }) => entries[place - 1] ?? []);
}
