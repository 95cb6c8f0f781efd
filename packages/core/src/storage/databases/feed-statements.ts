import { columnKind } from '../columns/columns.ts';
import { cellText } from './cell-text.ts';
import { FEED_ENDED, type Feed, feedTable, HISTORY_COLUMNS, placeOf } from './feed-tables.ts';
import { quoteIdentifier, quoteLiteral } from './sql-text.ts';
import type { TableInfo } from './table-info.ts';

/** Longer texts are kept as their size and digest. */
const MAX_TEXT_BYTES = 65_536;
/** A column with its type in the notation of format_type. */
export interface NamedColumn {
  name: string;
  type: string;
}

/** An array of expressions. */
export function list(items: readonly string[], type = 'text'): string {
  return `ARRAY[${items.join(', ')}]::${type}[]`;
}

/** The values of columns as JSON: their text forms, and long texts as their size and digest. @param only a boolean[] */
export function columnsJson(
  columns: readonly NamedColumn[],
  value: (column: NamedColumn) => string,
  only?: string,
): string {
  const isText = columns.map(({ type }) => String(columnKind(type) === 'text'));
  const filter = only === undefined ? '' : ' WHERE x.is_told';
  return `(SELECT json_object_agg(x.name, CASE WHEN x.is_text AND octet_length(x.value) > ${MAX_TEXT_BYTES}
    THEN json_build_object('bytes', octet_length(convert_to(x.value, 'UTF8')), 'sha256', encode(sha256(convert_to(x.value, 'UTF8')), 'hex'))
    ELSE to_json(x.value) END)
  FROM unnest(${list(columns.map(({ name }) => quoteLiteral(name)))}, ${list(isText, 'boolean')},
    ${list(columns.map((column) => cellText(value(column), column.type)))}${only === undefined ? '' : `, ${only}`}
  ) x (name, is_text, value${only === undefined ? '' : ', is_told'})${filter})`;
}

/** The key of the row `alias` as jsonb. */
export function keyJson(alias: string, columns: readonly NamedColumn[]): string {
  const pairs = columns.map(
    ({ name, type }) => `${quoteLiteral(name)}, ${cellText(`${alias}.${quoteIdentifier(name)}`, type)}`,
  );
  return `jsonb_build_object(${pairs.join(', ')})`;
}

/** The whole row `alias` as JSON. */
export function rowJson(alias: string, table: TableInfo): string {
  const columns = table.columns.filter(({ name }) => !HISTORY_COLUMNS.includes(name));
  return columnsJson(columns, ({ name }) => `${alias}.${quoteIdentifier(name)}`);
}

/** Fails when it is evaluated with false, with the error of a table that isn't there: its writer then reads the table again. */
export function requireFeed(condition: string, result: string): string {
  return `CASE WHEN ${condition} THEN ${result} ELSE ('${FEED_ENDED}' || txid_current())::regclass::oid::bigint END`;
}

/**
 * The transaction's changes get the next place of their feed. Until the commit nobody else of this table gets one, so places
 * have no gaps and are the order of commits. The feed is locked and not written: a reader that holds its snapshot would keep
 * each of its versions, and every later writer would walk over them. Fails when the feed ended, or its settings changed, after the rows were planned.
 */
export function finishStatement(schema: string, { id, version }: Feed): string {
  const [feeds, commits, changes] = (['feeds', 'commits', 'changes'] as const).map((name) =>
    feedTable(schema, name),
  );
  const own = `FROM ${changes} WHERE tx = pg_current_xact_id()::text::bigint`;
  const feed = `f.feed = ${quoteLiteral(id)}`;
  return `SELECT 1 FROM ${feeds} f WHERE ${feed} AND EXISTS (SELECT ${own}) FOR NO KEY UPDATE;
WITH own AS MATERIALIZED (
SELECT count(*)::int AS size, min(no) AS first, max(no) AS last ${own}
), head AS (
SELECT ${placeOf(commits ?? '')} + 1 AS position FROM ${feeds} f, own WHERE ${feed} AND f.version = ${version} AND own.size > 0
), noted AS (
INSERT INTO ${commits} (feed, position, tx, first, last, size)
SELECT ${quoteLiteral(id)}, head.position, pg_current_xact_id()::text::bigint, own.first, own.last, own.size FROM head, own
RETURNING position
)
SELECT (${requireFeed('(SELECT size FROM own) = 0 OR EXISTS (SELECT FROM noted)', '0')})::int AS kept`;
}
