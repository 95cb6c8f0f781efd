import { CHANGE_KINDS, type NullRule } from '@gleaner/contracts';
import {
  columnsJson,
  finishStatement,
  keyJson,
  list,
  type NamedColumn,
  requireFeed,
  rowJson,
} from '../databases/feed-statements.ts';
import {
  CHECKED_AT,
  type Feed,
  feedTable,
  HISTORY_COLUMNS,
  RELATIVE,
  REMOVED_AT,
  SEEN_BY,
} from '../databases/feed-tables.ts';
import { cellText } from '../databases/cell-text.ts';
import { quoteIdentifier, quoteLiteral, quoteTable } from '../databases/sql-text.ts';
import type { TableInfo } from '../databases/table-info.ts';
import type { ColumnPlan, SinkTable } from './prepare-table.ts';
import { FETCHED_AT, type ParameterName, sentRows } from './sent-rows.ts';

/** Every row has them, and they make no change. */
const PASSING = ['_url', FETCHED_AT, '_run_id', ...HISTORY_COLUMNS];

/** A setting of the transaction: how many rows are not written yet. */
const REST = 'gleaner.rest';

/** How many changes of each kind were `noted`, in the order of engine.row_counts. */
const COUNTED = CHANGE_KINDS.filter((kind) => kind !== 'removed')
  .map((kind) => `(count(*) FILTER (WHERE noted.kind = '${kind}'))::int AS rows_${kind}`)
  .join(', ');

/** How a batch of rows is written to a table that keeps its changes, in this order and in one transaction. */
export interface HistoryStatements {
  /** Each for all parts of the rows, before the next one: so that transactions lock rows in one order. */
  rows: readonly string[];
  /** The last statement: it gives the changes their place in the order of commits, and takes no parameters. */
  finish: string;
}

export interface HistoryInput {
  place: SinkTable;
  table: TableInfo;
  plan: ColumnPlan;
  nulls: NullRule;
  feed: Feed;
  parameter: ParameterName;
}

/** Whether two values differ. JSON has no equality of its own. */
function differs({ type }: NamedColumn, a: string, b: string): string {
  return type === 'json' ? `${a}::jsonb IS DISTINCT FROM ${b}::jsonb` : `${a} IS DISTINCT FROM ${b}`;
}

/** The names and expressions that the statements have in common. */
function describe({ place, table, plan, feed, parameter }: HistoryInput) {
  const { columns } = plan;
  const target = quoteTable(place.schema, place.table);
  const { sent, rows } = sentRows(columns, parameter);
  const sentAs = (name: string, from = 'r'): string =>
    `${from}.c${columns.findIndex((column) => column.name === name) + 1}`;
  const known = new Map(table.columns.map(({ name, type }) => [name, type]));
  const typed = (name: string): NamedColumn => ({ name, type: known.get(name) ?? 'text' });
  const of =
    (alias: string) =>
    ({ name }: NamedColumn) =>
      `${alias}.${quoteIdentifier(name)}`;
  const identity = (table.key.length > 0 ? table.key : plan.key).map(typed);
  const isSame = (alias: string, from = 'r'): string =>
    plan.key.map((name) => `${alias}.${quoteIdentifier(name)} = ${sentAs(name, from)}`).join(' AND ');
  const changes = feedTable(place.schema, 'changes');
  const pairs = identity.map(
    ({ name, type }) => `${quoteLiteral(name)}, ${cellText(`${sentAs(name, 's')}::${type}`, type)}`,
  );
  const isOwn = 't.xmin = pg_current_xact_id()::xid';
  // Where rows are deleted, none is left to compare a row with that was fetched before.
  const removal = `SELECT FROM ${changes} g WHERE g.key = jsonb_build_object(${pairs.join(', ')})
  AND g.feed = ${quoteLiteral(feed.id)} AND g.kind = 'removed' AND g.at > ${sentAs(FETCHED_AT, 's')}`;
  const isDeleting = feed.missing === 'delete';
  const given = `WITH s (${sent}) AS MATERIALIZED (${rows})`;
  return {
    target,
    changes,
    /** `s` are all rows. */
    given,
    /** `r` are those that this transaction has not written yet, nor leaves out. */
    with: `${given}, r AS MATERIALIZED (SELECT s.* FROM s WHERE current_setting('${REST}', true) IS DISTINCT FROM '0'
  AND NOT EXISTS (SELECT FROM ${target} t WHERE ${isSame('t', 's')} AND ${isOwn})${isDeleting ? ` AND NOT EXISTS (${removal})` : ''})`,
    leftOut: '(SELECT count(*) FROM s) - (SELECT count(*) FROM r)',
    /** How many rows this transaction wrote before it saw their removal. */
    late: `(SELECT count(*) FROM s JOIN ${target} t ON ${isSame('t', 's')} WHERE ${isOwn} AND EXISTS (${removal}))`,
    sentAs,
    of,
    keyOf: (alias: string): string => keyJson(alias, identity),
    rowOf: (alias: string): string => rowJson(alias, table),
    isSame,
    typed,
    isDeleting,
    hasMark: known.has(REMOVED_AT),
  };
}

type Parts = ReturnType<typeof describe>;

/** Adds the rows whose keys are new. */
function makeStatement({ plan, feed }: HistoryInput, parts: Parts): string {
  const names = plan.columns.map(({ name }) => quoteIdentifier(name));
  const values = plan.columns.map((_, index) => `r.c${index + 1}`);
  const { changes } = parts;
  return `${parts.with}, made AS (
INSERT INTO ${parts.target} AS t (${names.join(', ')}, ${quoteIdentifier(CHECKED_AT)})
SELECT ${values.join(', ')}, ${parts.sentAs(FETCHED_AT)} FROM r
ON CONFLICT (${plan.key.map(quoteIdentifier).join(', ')}) DO NOTHING
RETURNING ${parts.keyOf('t')} AS key, t.${quoteIdentifier(FETCHED_AT)} AS at, t._run_id AS run_id, ${parts.rowOf('t')} AS row
), noted AS (
INSERT INTO ${changes} (feed, kind, key, at, run_id, row)
SELECT ${quoteLiteral(feed.id)}, CASE (SELECT g.kind FROM ${changes} g WHERE g.key = m.key AND g.feed = ${quoteLiteral(feed.id)}
  ORDER BY g.no DESC LIMIT 1) WHEN 'removed' THEN 'returned' ELSE 'new' END, m.key, m.at, m.run_id, m.row FROM made m
RETURNING kind
)
SELECT 0 AS kept, ${COUNTED}, (SELECT count(*) FROM s)::int AS n FROM noted`;
}

/** Locks the rows, so that the next statement sees what it changes. A row that somebody removed meanwhile ends the transaction. */
function lockStatement({ plan }: HistoryInput, parts: Parts, isCounted: boolean): string {
  const order = plan.key.map((name) => `t.${quoteIdentifier(name)}`).join(', ');
  const count = '(SELECT count(*) FROM locked)';
  const none = '0 AS rows_new, 0 AS rows_changed, 0 AS rows_returned';
  const { late, leftOut, isDeleting } = parts;
  const written = '(SELECT count(*) FROM r)';
  const all = `${count} + ${leftOut}`;
  const there = isDeleting ? requireFeed(`${late} = 0`, all) : all;
  const isWhole = isDeleting ? `${count} = ${written} AND ${late} = 0` : `${count} = ${written}`;
  return `${parts.with}, locked AS MATERIALIZED (
SELECT 1 FROM r JOIN ${parts.target} t ON ${parts.isSame('t')} ORDER BY ${order} FOR UPDATE OF t
)
SELECT ${isCounted ? `0 AS kept, ${none}, (${there})::int AS n` : `(${requireFeed(isWhole, '0')})::int AS kept, ${none}`}`;
}

/** How a sent row differs from a row `alias` of the table, and what it writes there. */
function compare({ plan, nulls, feed }: HistoryInput, parts: Parts, alias: 'p' | 't') {
  const { sentAs, hasMark } = parts;
  const before = parts.of(alias);
  const [checked, fetched, removed] = [CHECKED_AT, FETCHED_AT, REMOVED_AT].map(quoteIdentifier);
  const others = plan.columns
    .filter(({ name, isKey }) => !isKey && !PASSING.includes(name))
    .map(({ name }) => parts.typed(name));
  const valueOf = (column: NamedColumn): string =>
    nulls === 'keep' ? `COALESCE(${sentAs(column.name)}, ${before(column)})` : sentAs(column.name);
  const counting = others.filter(({ name }) => !feed.volatile.includes(name));
  const hasUnits = plan.columns.some(({ name }) => name === RELATIVE);
  const difference = (column: NamedColumn): string => {
    const all = differs(column, before(column), valueOf(column));
    if (!hasUnits) return all;
    const epoch = (value: string): string => `extract(epoch FROM (${value})::timestamptz)`;
    const name = quoteLiteral(column.name);
    const known = `${alias}.${quoteIdentifier(RELATIVE)}`;
    const sent = `${sentAs(RELATIVE)} -> ${name}`;
    const isNear = /^(date|timestamp)/.test(column.type)
      ? `abs(${epoch(before(column))} - ${epoch(valueOf(column))}) <= (${known} ->> ${name})::float8`
      : `${sent} = ${known} -> ${name}`;
    return `(${all} AND NOT coalesce(jsonb_typeof(${sent}) = 'number', false) AND NOT coalesce(${isNear}, false))`;
  };
  const passing = plan.columns.filter(
    ({ name, isKey }) => !isKey && ['_url', '_run_id', RELATIVE].includes(name),
  );
  const seen = `${alias}.${quoteIdentifier(SEEN_BY)}`;
  // Adds the run's cron or workflow to those that gave the row.
  const seenBy = `${quoteIdentifier(SEEN_BY)} = CASE WHEN ${seen} @> ${sentAs(SEEN_BY)} THEN ${seen} ELSE coalesce(${seen}, '{}') || ${sentAs(SEEN_BY)} END`;
  const last = `greatest(${alias}.${fetched}, ${alias}.${checked})`;
  const isKept = others.map((column) => `${sentAs(column.name)} IS NULL AND ${before(column)} IS NOT NULL`);
  return {
    before,
    valueOf,
    counting,
    only: list(counting.map(difference), 'boolean'),
    isChanged: counting.length === 0 ? 'false' : counting.map(difference).join(' OR '),
    isGone: hasMark ? `${alias}.${removed} IS NOT NULL` : 'false',
    /** In which rows a value of an earlier fetch stays; the same before and after they are written. */
    isKept: nulls === 'keep' && isKept.length > 0 ? isKept.join(' OR ') : 'false',
    isDue: `(${last} IS NULL OR ${last} <= ${sentAs(FETCHED_AT)}) AND ${alias}.xmin <> pg_current_xact_id()::xid`,
    /** What every row gets that was fetched again. */
    sets: [
      ...others.map((column) => `${quoteIdentifier(column.name)} = ${valueOf(column)}`),
      ...passing.map(({ name }) => `${quoteIdentifier(name)} = ${sentAs(name)}`),
      ...(plan.columns.some(({ name }) => name === SEEN_BY) ? [seenBy] : []),
      `${checked} = ${sentAs(FETCHED_AT)}`,
    ],
  };
}

/**
 * Writes the rows that did not change, which most are: it costs what writing them without a history costs. It locks all rows
 * that are there, in the order of their keys. The setting says how many rows of the transaction are left to the other statements.
 */
function sameStatement(input: HistoryInput, parts: Parts): string {
  const { isChanged, isGone, isKept, isDue, sets } = compare(input, parts, 't');
  const order = input.plan.key.map((name) => parts.sentAs(name, 's')).join(', ');
  return `${parts.given}, same AS (
UPDATE ${parts.target} t SET ${sets.join(', ')}
FROM (SELECT s.* FROM s ORDER BY ${order}) r CROSS JOIN LATERAL (
  SELECT p.ctid AS at, p.tableoid AS part FROM ${parts.target} p WHERE ${parts.isSame('p')} LIMIT 1 FOR UPDATE) x
WHERE t.ctid = x.at AND t.tableoid = x.part AND ${isDue} AND NOT (${isChanged}) AND NOT (${isGone})
RETURNING (${isKept}) AS is_kept
), sums AS (SELECT count(*) AS same, count(*) FILTER (WHERE is_kept) AS kept FROM same)
SELECT sums.kept::int AS kept, 0 AS rows_new, 0 AS rows_changed, 0 AS rows_returned, (SELECT count(*) FROM s)::int AS n,
  set_config('${REST}', (coalesce(nullif(current_setting('${REST}', true), ''), '0')::bigint + (SELECT count(*) FROM s) - sums.same)::text, true)
FROM sums`;
}

/** Writes the other rows whose keys were there, and their changes: `p` is a row before, `t` after. */
function changeStatement(input: HistoryInput, parts: Parts, isCounted: boolean): string {
  const { plan, feed } = input;
  const { sentAs, hasMark } = parts;
  const { before, valueOf, counting, only, isChanged, isGone, isKept, isDue, sets } = compare(
    input,
    parts,
    'p',
  );
  const [fetched, removed] = [FETCHED_AT, REMOVED_AT].map(quoteIdentifier);
  const all = [
    ...sets,
    ...(plan.key.includes(FETCHED_AT)
      ? []
      : [
          `${fetched} = CASE WHEN d.is_changed OR d.is_gone THEN ${sentAs(FETCHED_AT)} ELSE p.${fetched} END`,
        ]),
    ...(hasMark ? [`${removed} = NULL`] : []),
  ];
  const pair = (value: (column: NamedColumn) => string): string =>
    counting.length === 0
      ? 'NULL::json'
      : `CASE WHEN d.is_changed AND NOT d.is_gone THEN ${columnsJson(counting, value, only)} END`;
  const due = `(SELECT count(*) FROM r JOIN ${parts.target} p ON ${parts.isSame('p')} WHERE ${isDue})`;
  return `${parts.with}, done AS (
UPDATE ${parts.target} t SET ${all.join(', ')}
FROM r JOIN ${parts.target} p ON ${parts.isSame('p')}
  CROSS JOIN LATERAL (SELECT ${isChanged} AS is_changed, ${isGone} AS is_gone, ${isKept} AS is_kept OFFSET 0) d
WHERE t.ctid = p.ctid AND t.tableoid = p.tableoid AND ${isDue}
RETURNING d.is_changed, d.is_gone, d.is_kept, CASE WHEN d.is_changed OR d.is_gone THEN ${parts.keyOf('t')} END AS key, ${sentAs(FETCHED_AT)} AS at, t._run_id AS run_id,
  ${pair(before)} AS before, ${pair(valueOf)} AS after, CASE WHEN d.is_gone THEN ${parts.rowOf('t')} END AS row
), noted AS (
INSERT INTO ${parts.changes} (feed, kind, key, at, run_id, before, after, row)
SELECT ${quoteLiteral(feed.id)}, CASE WHEN u.is_gone THEN 'returned' ELSE 'changed' END, u.key, u.at, u.run_id, u.before, u.after, u.row
FROM done u WHERE u.is_changed OR u.is_gone
RETURNING kind
)
SELECT (SELECT count(*) FROM done WHERE is_kept)::int AS kept, ${COUNTED}${
    isCounted ? `, ((SELECT count(*) FROM s) - ${due} + (SELECT count(*) FROM done))::int AS n` : ''
  } FROM noted`;
}

/**
 * Writes rows with their changes, on Postgres 13 and newer. The changed columns are told by typed values. A row fetched
 * earlier than the table's row was fetched or checked changes nothing.
 * @param isCounted as for upsertStatement
 */
export function historyStatements(input: HistoryInput, isCounted: boolean): HistoryStatements {
  const parts = describe(input);
  return {
    rows: [
      sameStatement(input, parts),
      makeStatement(input, parts),
      lockStatement(input, parts, isCounted),
      changeStatement(input, parts, isCounted),
    ],
    finish: finishStatement(input.place.schema, input.feed),
  };
}
