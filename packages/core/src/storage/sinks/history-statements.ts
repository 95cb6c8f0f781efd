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
import { countKept, FETCHED_AT, type ParameterName, sentRows, sentValue } from './sent-rows.ts';

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
  /** For all parts of the rows. It locks those that are there, so that `changed` sees what it changes. */
  statement: string;
  /** In place of `statement` for rows with nulls: it says how many of them kept a value. */
  keeping: string;
  /** For all parts again. */
  changed: string;
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
  /** A sent value of the rows `from`. In an INSERT that meets a row it is `excluded`. */
  const sentAs = (name: string, from: 'r' | 's' | 'excluded' = 'r'): string =>
    from === 'excluded' ? `excluded.${quoteIdentifier(name)}` : sentValue(columns, name, from);
  const known = new Map(table.columns.map(({ name, type }) => [name, type]));
  const typed = (name: string): NamedColumn => ({ name, type: known.get(name) ?? 'text' });
  const of =
    (alias: string) =>
    ({ name }: NamedColumn) =>
      `${alias}.${quoteIdentifier(name)}`;
  const identity = (table.key.length > 0 ? table.key : plan.key).map(typed);
  const isSame = (alias: string, from: 'r' | 's' = 'r'): string =>
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
    /** How many rows this transaction wrote before it saw their removal. */
    late: `(SELECT count(*) FROM s JOIN ${target} t ON ${isSame('t', 's')} WHERE ${isOwn} AND EXISTS (${removal}))`,
    sentAs,
    of,
    keyOf: (alias: string): string => keyJson(alias, identity),
    rowOf: (alias: string): string => rowJson(alias, table),
    isSame,
    typed,
    isDeleting,
    removal,
    hasMark: known.has(REMOVED_AT),
  };
}

type Parts = ReturnType<typeof describe>;

/** How a row of `from` differs from a row `alias` of the table, and what it writes there. */
function compare(
  { plan, nulls, feed }: HistoryInput,
  parts: Parts,
  [alias, from]: ['p', 'r'] | ['t', 'excluded'],
) {
  const { hasMark } = parts;
  const sentAs = (name: string): string => parts.sentAs(name, from);
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
    /** In which rows a value of an earlier fetch stays. */
    isKept: nulls === 'keep' && isKept.length > 0 ? isKept.join(' OR ') : 'false',
    /** Whether the row was fetched after the table's, or `orWith` it. */
    isDue: (orWith: '' | '=') =>
      `(${last} IS NULL OR ${last} <${orWith} ${sentAs(FETCHED_AT)}) AND ${alias}.xmin <> pg_current_xact_id()::xid`,
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
 * Writes the rows that did not change, which most are, and those whose keys are new. It costs what writing them without a
 * history costs, and locks all rows that are there, in the order of their keys. A new row alone has equal times of its fetch
 * and of its check: another was fetched earlier. The setting says how many rows of the transaction changed or are new.
 */
function giveStatement(input: HistoryInput, parts: Parts, countsKept: boolean): string {
  const { plan, feed } = input;
  const { isChanged, isGone, isDue, sets } = compare(input, parts, ['t', 'excluded']);
  const { changes, sentAs } = parts;
  const [fetched, checked] = [FETCHED_AT, CHECKED_AT].map((name) => `t.${quoteIdentifier(name)}`);
  const names = [...plan.columns.map(({ name }) => name), CHECKED_AT].map(quoteIdentifier);
  const order = plan.key.map((name) => sentAs(name, 's')).join(', ');
  const keptRows = countsKept ? countKept(plan, 's', 'w') : undefined;
  const ifNew = (value: string, name: string): string =>
    `CASE WHEN ${fetched} = ${checked} THEN ${value} END AS ${name}`;
  return `${parts.given}, w AS (
INSERT INTO ${parts.target} AS t (${names.join(', ')})
SELECT s.*, ${sentAs(FETCHED_AT, 's')} FROM s${parts.isDeleting ? ` WHERE NOT EXISTS (${parts.removal})` : ''} ORDER BY ${order}
ON CONFLICT (${plan.key.map(quoteIdentifier).join(', ')}) DO UPDATE SET ${sets.join(', ')}
WHERE ${isDue('')} AND NOT (${isChanged}) AND NOT (${isGone})
RETURNING ${[
    ifNew(parts.keyOf('t'), 'key'),
    ifNew(parts.rowOf('t'), 'row'),
    `t._run_id AS run_id, ${fetched} AS at`,
    ...(keptRows?.returned ?? []),
  ].join(', ')}
), noted AS (
INSERT INTO ${changes} (feed, kind, key, at, run_id, row)
SELECT ${quoteLiteral(feed.id)}, CASE (SELECT g.kind FROM ${changes} g WHERE g.key = w.key AND g.feed = ${quoteLiteral(feed.id)}
  ORDER BY g.no DESC LIMIT 1) WHEN 'removed' THEN 'returned' ELSE 'new' END, w.key, w.at, w.run_id, w.row FROM w WHERE w.key IS NOT NULL
RETURNING kind
), counts AS (SELECT ${COUNTED} FROM noted), sums AS (
SELECT (SELECT count(*) FROM s) AS n, (SELECT count(*) FROM w WHERE w.key IS NULL) AS same)
SELECT ${keptRows?.count ?? '0'} AS kept, counts.*, sums.n::int AS n,
  set_config('${REST}', (coalesce(nullif(current_setting('${REST}', true), ''), '0')::bigint + sums.n - sums.same)::text, true)
FROM counts, sums`;
}

/** Writes the other rows whose keys were there, and their changes: `p` is a row before, `t` after. */
function changeStatement(input: HistoryInput, parts: Parts, isCounted: boolean): string {
  const { plan, feed } = input;
  const { sentAs, hasMark, isDeleting } = parts;
  const { before, valueOf, counting, only, isChanged, isGone, isKept, isDue, sets } = compare(input, parts, [
    'p',
    'r',
  ]);
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
  const isLater = isDue('=');
  // A trigger of the account may leave out others.
  const taken = `(SELECT count(*) FROM s) - (SELECT count(*) FROM r) + (SELECT count(*) FROM done)
  + (SELECT count(*) FROM r JOIN ${parts.target} p ON ${parts.isSame('p')} WHERE (${isLater}) IS NOT TRUE)`;
  const kept = '(SELECT count(*) FROM done WHERE is_kept)';
  return `${parts.with}, done AS (
UPDATE ${parts.target} t SET ${all.join(', ')}
FROM r JOIN ${parts.target} p ON ${parts.isSame('p')}
  CROSS JOIN LATERAL (SELECT ${isChanged} AS is_changed, ${isGone} AS is_gone, ${isKept} AS is_kept OFFSET 0) d
WHERE t.ctid = p.ctid AND t.tableoid = p.tableoid AND ${isLater}
RETURNING d.is_changed, d.is_gone, d.is_kept, CASE WHEN d.is_changed OR d.is_gone THEN ${parts.keyOf('t')} END AS key, ${sentAs(FETCHED_AT)} AS at, t._run_id AS run_id,
  ${pair(before)} AS before, ${pair(valueOf)} AS after, CASE WHEN d.is_gone THEN ${parts.rowOf('t')} END AS row
), noted AS (
INSERT INTO ${parts.changes} (feed, kind, key, at, run_id, before, after, row)
SELECT ${quoteLiteral(feed.id)}, CASE WHEN u.is_gone THEN 'returned' ELSE 'changed' END, u.key, u.at, u.run_id, u.before, u.after, u.row
FROM done u WHERE u.is_changed OR u.is_gone
RETURNING kind
)
SELECT (${isDeleting ? requireFeed(`${parts.late} = 0`, kept) : kept})::int AS kept, ${COUNTED}${
    isCounted ? `, (${taken})::int AS n` : ''
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
    statement: giveStatement(input, parts, false),
    keeping: giveStatement(input, parts, input.nulls === 'keep'),
    changed: changeStatement(input, parts, isCounted),
    finish: finishStatement(input.place.schema, input.feed),
  };
}
