import { toStorableJson } from '@gleaner/contracts';
import { keyJson, finishStatement, rowJson } from '../databases/feed-statements.ts';
import { CHECKED_AT, type Feed, feedTable, REMOVED_AT, SEEN_BY } from '../databases/feed-tables.ts';
import { quoteIdentifier, quoteLiteral, quoteTable } from '../databases/sql-text.ts';
import type { TableInfo } from '../databases/table-info.ts';
import type { Statement } from '../external/foreign-transaction.ts';

/** Whose rows are judged: the run, its cron or workflow, and the key of its sink. */
interface JudgedRows {
  id: string;
  source: string;
  key: readonly string[] | undefined;
}

/** A page that was read, and when it was fetched: seconds of the epoch. */
export type PageTime = readonly [url: string, at: number];

function timeOf(seconds: string): string {
  return `date_trunc('milliseconds', to_timestamp(${seconds}::float8))`;
}

/** How rows of a table with history are found, and removed, that earlier runs gave and this run did not. */
export function removalStatements(
  schema: string,
  table: TableInfo,
  feed: Feed,
  { id, source, key: sinkKey }: JudgedRows,
) {
  const column = (name: string): string => `t.${quoteIdentifier(name)}`;
  const place = quoteTable(schema, table.name);
  const hasMark = table.columns.some(({ name }) => name === REMOVED_AT);
  const isThere = hasMark ? ` AND ${column(REMOVED_AT)} IS NULL` : '';
  const earlier = `${column(SEEN_BY)} @> ARRAY[$1::text]${isThere}`;
  const fetched = `greatest(${column('_fetched_at')}, ${column(CHECKED_AT)})`;
  const lacking = `${earlier} AND ${column('_run_id')} <> $2::text`;
  const pages = `p (url, at) AS MATERIALIZED (
SELECT e ->> 0, ${timeOf('(e ->> 1)')} FROM json_array_elements($3::text::json) e)`;
  const names = table.key.length > 0 ? table.key : sinkKey;
  const key = table.columns.filter(({ name }) => names?.includes(name));
  const order = key.map(({ name }) => column(name)).join(', ');
  const [removedAt, checkedAt] = [REMOVED_AT, CHECKED_AT].map(quoteIdentifier);
  const isFound = 't.ctid = f.at AND t.tableoid = f.part';
  const remove =
    feed.missing === 'delete'
      ? `DELETE FROM ${place} t USING found f WHERE ${isFound}`
      : `UPDATE ${place} t SET ${removedAt} = f.gone_at, ${checkedAt} = f.gone_at FROM found f WHERE ${isFound}`;
  return {
    /** The pages of rows that the run did not give. @param ended seconds of the epoch */
    candidates: (ended: number, most: number): Statement => ({
      text: `SELECT t._url AS url FROM ${place} t WHERE ${lacking} AND ${fetched} < ${timeOf('$3::text')} GROUP BY 1 LIMIT ${most}`,
      parameters: [source, id, String(ended)],
    }),
    /** How many rows would go, and how many earlier runs gave. */
    count: (read: readonly PageTime[]): Statement => ({
      text: `WITH ${pages} SELECT (SELECT count(*) FROM ${place} t JOIN p ON p.url = t._url WHERE ${lacking} AND ${fetched} < p.at)::float8 AS gone,
(SELECT count(*) FROM ${place} t WHERE ${earlier})::float8 AS earlier`,
      parameters: [source, id, toStorableJson(read)],
    }),
    /** Removes the rows of pages, at the time of their fetch. A row that somebody writes in this moment stays. */
    remove: (read: readonly PageTime[]): Statement => ({
      text: `WITH ${pages}, found AS MATERIALIZED (
SELECT t.ctid AS at, t.tableoid AS part, p.at AS gone_at FROM ${place} t JOIN p ON p.url = t._url
WHERE ${lacking} AND ${fetched} < p.at ORDER BY ${order} FOR UPDATE OF t
), gone AS (
${remove}
RETURNING ${keyJson('t', key)} AS key, f.gone_at AS at, ${rowJson('t', table)} AS row
), noted AS (
INSERT INTO ${feedTable(schema, 'changes')} (feed, kind, key, at, run_id, before)
SELECT ${quoteLiteral(feed.id)}, 'removed', g.key, g.at, $2::text, g.row FROM gone g
)
SELECT count(*)::float8 AS count FROM gone`,
      parameters: [source, id, toStorableJson(read)],
    }),
    finish: { text: finishStatement(schema, feed) },
  };
}
