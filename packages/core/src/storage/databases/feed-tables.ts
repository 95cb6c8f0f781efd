import type { MissingRule } from '@gleaner/contracts';
import type { Statement } from '../external/foreign-transaction.ts';
import { quoteIdentifier, quoteLiteral, quoteTable, type SqlRunner } from './sql-text.ts';
import type { TableInfo } from './table-info.ts';

/**
 * Where the changes of a schema's tables are kept: beside the tables, so that both are written, dumped and restored together.
 * A feed counts its commits, and a commit names the changes of its transaction.
 */
export const FEED_TABLES = {
  feeds: '_gleaner_feeds',
  commits: '_gleaner_commits',
  changes: '_gleaner_changes',
} as const;

/** When a page that gave the row was last read; when a row left the site. Tables with history have the first. */
export const CHECKED_AT = '_checked_at';
export const REMOVED_AT = '_removed_at';
/**
 * The columns of the row with values that were read from a relative time: the length of its unit in seconds; of a list or an object
 * a digest of the rest. Tables have it once such a value came.
 */
export const RELATIVE = '_relative';
/** The crons and workflows whose runs gave the row. Tables that mark or delete missing rows have it. */
export const SEEN_BY = '_seen_by';
export const HISTORY_COLUMNS: readonly string[] = [CHECKED_AT, REMOVED_AT, RELATIVE, SEEN_BY];
/** The beginnings of their types. */
const HISTORY_TYPES: Readonly<Record<string, string>> = { [RELATIVE]: 'jsonb', [SEEN_BY]: 'text[]' };

/** Whether a column of a table has the name of one of them, but can't be it. */
export function isForeign({ name, type }: { name: string; type: string }): boolean {
  return HISTORY_COLUMNS.includes(name) && !type.startsWith(HISTORY_TYPES[name] ?? 'timestamp');
}

/** The constraint that refuses statements which don't know the table's history. */
export const HISTORY_CHECK = '_gleaner_history';
/** Begins the name of a relation that isn't there, in the error of a statement whose feed has ended. */
export const FEED_ENDED = '_gleaner_feed_ended_';

/** The changes that a table keeps. */
export interface Feed {
  id: string;
  /** Rises with each change of its settings. */
  version: number;
  /** Columns that alone make no change. */
  volatile: string[];
  missing: MissingRule;
  /** The place of its last commit. */
  position: string;
}

export function feedTable(schema: string, name: keyof typeof FEED_TABLES): string {
  return quoteTable(schema, FEED_TABLES[name]);
}

/** The place of the last commit of the feed `f`. */
export function placeOf(commits: string): string {
  return `(SELECT c.position FROM ${commits} c WHERE c.feed = f.feed ORDER BY c.position DESC LIMIT 1)`;
}

/** The feeds of a schema's tables, by table. */
export async function readFeeds(
  sql: SqlRunner,
  schema: string,
  tables: readonly TableInfo[],
): Promise<Map<string, Feed>> {
  // Only tables that have, or had, a history have the column, and those whose own field is called so.
  const names = tables
    .filter(({ columns }) => columns.some(({ name }) => name === CHECKED_AT))
    .map(({ name }) => name);
  if (names.length === 0) return new Map();
  const place = feedTable(schema, 'feeds');
  // A statement that fails would end the caller's transaction.
  const [known] = await sql.unsafe<{ is_there: boolean }[]>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [place],
  );
  if (known?.is_there !== true) return new Map();
  const rows = await sql.unsafe<(Omit<Feed, 'volatile'> & { volatile: string; table_name: string })[]>(
    `SELECT table_name, feed AS id, version, array_to_json(volatile)::text AS volatile, missing, ${placeOf(feedTable(schema, 'commits'))}::text AS position
      FROM ${place} f WHERE table_name IN (SELECT json_array_elements_text($1::text::json))`,
    [JSON.stringify(names)],
  );
  return new Map(
    rows.map(({ table_name: table, volatile, ...feed }) => [
      table,
      { ...feed, volatile: JSON.parse(volatile) as string[] },
    ]),
  );
}

/** The feed of a table; undefined without one. */
export async function readFeed(
  sql: SqlRunner,
  schema: string,
  table: TableInfo | undefined,
): Promise<Feed | undefined> {
  return table && (await readFeeds(sql, schema, [table])).get(table.name);
}

/** What makes the tables of feeds. Callers hold `lockFeeds`. */
function makeTables(schema: string): string {
  const [feeds, commits, changes] = (['feeds', 'commits', 'changes'] as const).map((name) =>
    feedTable(schema, name),
  );
  const indexes = [
    [`${FEED_TABLES.changes}_key`, `${changes} USING hash (key)`],
    [`${FEED_TABLES.commits}_tx`, `${commits} (tx)`],
  ];
  return `CREATE TABLE IF NOT EXISTS ${feeds} (table_name text PRIMARY KEY, feed text NOT NULL UNIQUE,
  version integer NOT NULL DEFAULT 1, volatile text[] NOT NULL, missing text NOT NULL);
CREATE TABLE IF NOT EXISTS ${commits} (feed text NOT NULL, position bigint NOT NULL, tx bigint, first bigint, last bigint,
  size integer NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (feed, position));
CREATE TABLE IF NOT EXISTS ${changes} (tx bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  no bigint GENERATED ALWAYS AS IDENTITY, feed text NOT NULL, kind text NOT NULL, key jsonb NOT NULL,
  at timestamptz NOT NULL, run_id text, before json, after json, row json, PRIMARY KEY (tx, no));
${indexes.map(([name, on]) => `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(name ?? '')} ON ${on}`).join(';\n')}`;
}

/** Makes transactions that change feeds of a schema wait for each other. */
export function lockFeeds(schema: string): Statement {
  return {
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text',
    parameters: [`gleaner feeds ${schema}`],
  };
}

export interface FeedSettings {
  volatile: string[];
  missing: MissingRule;
}

function addColumns(schema: string, table: string, missing: MissingRule): string {
  const columns = [
    CHECKED_AT,
    ...(missing === 'mark' ? [REMOVED_AT] : []),
    ...(missing === 'keep' ? [] : [SEEN_BY]),
  ];
  const added = columns.map(
    (name) => `ADD COLUMN IF NOT EXISTS ${quoteIdentifier(name)} ${HISTORY_TYPES[name] ?? 'timestamptz'}`,
  );
  return `ALTER TABLE ${quoteTable(schema, table)} ${added.join(', ')}`;
}

function arrayText(names: readonly string[]): string {
  return `ARRAY[${names.map(quoteLiteral).join(', ')}]::text[]`;
}

/**
 * The statements that begin the feed of a table. From then on a writer that doesn't know the feed is refused by the table;
 * rows that exist, and what others write, are not looked at.
 */
export function beginFeed(
  schema: string,
  table: string,
  id: string,
  { volatile, missing }: FeedSettings,
): Statement[] {
  const place = quoteTable(schema, table);
  const isKnown = `${quoteIdentifier(CHECKED_AT)} IS NOT NULL OR current_setting('application_name') !~ '^gleaner'`;
  return [
    lockFeeds(schema),
    { text: makeTables(schema) },
    { text: addColumns(schema, table, missing) },
    {
      text: `ALTER TABLE ${place} DROP CONSTRAINT IF EXISTS ${HISTORY_CHECK},
  ADD CONSTRAINT ${HISTORY_CHECK} CHECK (${isKnown}) NOT VALID`,
    },
    {
      text: `INSERT INTO ${feedTable(schema, 'feeds')} AS f (table_name, feed, volatile, missing)
VALUES ($1, $2, ${arrayText(volatile)}, $3) ON CONFLICT (table_name)
DO UPDATE SET feed = excluded.feed, version = 1, volatile = excluded.volatile, missing = excluded.missing`,
      parameters: [table, id, missing],
    },
    {
      text: `INSERT INTO ${feedTable(schema, 'commits')} (feed, position, size) VALUES ($1, 0, 0)`,
      parameters: [id],
    },
  ];
}

/** The statements that change what a feed counts as a change. */
export function changeFeed(
  schema: string,
  table: string,
  { id }: Feed,
  { volatile, missing }: FeedSettings,
): Statement[] {
  return [
    lockFeeds(schema),
    { text: addColumns(schema, table, missing) },
    {
      text: `UPDATE ${feedTable(schema, 'feeds')} SET version = version + 1, volatile = ${arrayText(volatile)}, missing = $2
WHERE feed = $1`,
      parameters: [id, missing],
    },
  ];
}

/** The statements that end a feed; its changes are removed later. The table may be gone. */
export function endFeed(schema: string, table: string, { id }: Feed, isDropped = false): Statement[] {
  return [
    lockFeeds(schema),
    { text: `DELETE FROM ${feedTable(schema, 'feeds')} WHERE feed = $1`, parameters: [id] },
    ...(isDropped
      ? []
      : [{ text: `ALTER TABLE ${quoteTable(schema, table)} DROP CONSTRAINT IF EXISTS ${HISTORY_CHECK}` }]),
  ];
}
