import type { UsageGroup } from '@gleaner/contracts';
import { ENGINE, type Database } from '@gleaner/db';
import type { Perform } from '../../platform/context.ts';
import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { decodeCursor, encodeCursor, foreignCursor } from '../../platform/lists/page.ts';

interface UsageRow {
  from: string;
  /** Empty: without one, or not divided by one. */
  id: string;
  succeeded: string;
  failed: string;
  credits: string;
  rows: { new: number; changed: number; removed: number };
}

/** By what the counters are grouped, beside their time, and how an answer names it. */
const COLUMNS = {
  hour: null,
  day: null,
  key: 'key_id',
  parser: 'parser_id',
  cron: 'cron_id',
  host: 'host',
} as const satisfies Record<UsageGroup, string | null>;

const LINE =
  'account_id,hour,key_id,parser_id,cron_id,host,succeeded,failed,credits,rows_new,rows_changed,rows_removed'.split(
    ',',
  );

/** The last line of the page before. @throws AppError invalid_request (cursor) */
function readAfter(cursor: string | undefined): { from: string | null; id: string } {
  if (cursor === undefined) return { from: null, id: '' };
  const [from, id] = decodeCursor('usage', cursor, 2);
  if (typeof from !== 'string' || typeof id !== 'string' || Number.isNaN(Date.parse(from)))
    throw foreignCursor();
  return { from: new Date(from).toISOString(), id };
}

/** What was used, newest first. All groupings have the same sum. */
export const getUsage: Perform<'getUsage'> = async (ctx, { query }) => {
  const { sql } = ctx.services.db;
  const { group_by: group, timezone, limit } = query;
  const column = COLUMNS[group];
  const after = readAfter(query.cursor);
  const rows = await sql<UsageRow[]>`
    SELECT * FROM (
      SELECT min(n.at) AS "from", n.id, sum(n.succeeded)::text AS succeeded, sum(n.failed)::text AS failed,
        sum(n.credits)::text AS credits, json_build_object('new', sum(n.rows_new)::float8, 'changed', sum(n.rows_changed)::float8,
          'removed', sum(n.rows_removed)::float8) AS rows
      FROM (
        SELECT ${group === 'day' ? sql`date_trunc('day', h.hour, ${timezone})` : sql`h.hour`} AS at,
          ${column === null ? sql`''` : sql`h.${sql(column)}`} AS id, h.succeeded, h.failed, h.credits,
          h.rows_new, h.rows_changed, h.rows_removed
        FROM (
          SELECT ${sql(LINE)} FROM gleaner.usage_hours UNION ALL SELECT ${sql(LINE)} FROM gleaner.usage_deltas
        ) h
        WHERE h.account_id = ${ctx.accountId} AND h.hour >= coalesce(${query.from ?? null}::timestamptz, '-infinity')
          AND h.hour < coalesce(${query.to ?? null}::timestamptz, 'infinity')
          AND (${query.parser ?? null}::text IS NULL OR h.parser_id = ${query.parser ?? null})
          AND (${query.cron ?? null}::text IS NULL OR h.cron_id = ${query.cron ?? null})
      ) n GROUP BY n.id${column === null ? sql`, n.at` : sql``}
    ) g
    WHERE ${after.from}::timestamptz IS NULL OR g."from" < ${after.from}::timestamptz
      OR (g."from" = ${after.from}::timestamptz AND g.id > ${after.id})
    ORDER BY g."from" DESC, g.id LIMIT ${limit + 1}`;
  const page = rows.slice(0, limit).map((row) => ({ ...row, from: new Date(row.from).toISOString() }));
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    usage: page.map(({ from, id, succeeded, failed, credits, rows: changes }) => ({
      from,
      ...(column === null || id === '' ? {} : { [column]: id }),
      pages: { succeeded: Number(succeeded), failed: Number(failed), unchanged: 0 },
      credits: Number(credits),
      rows: changes,
    })),
    pagination: {
      cursor: hasMore && last ? encodeCursor('usage', [last.from, last.id]) : null,
      has_more: hasMore,
    },
  };
};

const FOLDED_AT_ONCE = 10_000;

/** Adds what ends of work noted to the counters. The leading scheduler calls it. */
export async function foldUsage({ sql }: Pick<Database, 'sql'>): Promise<void> {
  await repeatWhileFull(FOLDED_AT_ONCE, async () => {
    const [row] = await sql<
      { count: number }[]
    >`SELECT ${sql(ENGINE)}.fold_usage(${FOLDED_AT_ONCE}) AS count`;
    return row?.count ?? 0;
  });
}
