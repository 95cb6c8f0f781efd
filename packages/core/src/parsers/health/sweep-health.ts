import type { Database } from '@gleaner/db';

/** Statistics of a version and host that no page has changed for so long say nothing of the site as it is. */
const KEPT_DAYS = 90;
const REMOVED_AT_ONCE = 5_000;

/** Removes the health of versions on hosts that are no longer read. @returns how many */
export async function sweepHealth({ sql }: Database): Promise<number> {
  const { count } = await sql`
    DELETE FROM gleaner.parser_health WHERE ctid IN (
      SELECT ctid FROM gleaner.parser_health
      WHERE updated_at < now() - ${KEPT_DAYS}::int * interval '1 day' LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;
  return count;
}
