import type { MissingRule } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
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
export const HISTORY_COLUMNS: readonly string[] = [CHECKED_AT, REMOVED_AT];

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
  /** The number of its commits. */
  position: string;
}

export function feedTable(schema: string, name: keyof typeof FEED_TABLES): string {
  return quoteTable(schema, FEED_TABLES[name]);
}

/** The feed of a table; undefined without one. */
export async function readFeed(
  sql: SqlRunner,
  schema: string,
  table: TableInfo | undefined,
): Promise<Feed | undefined> {
  // Only tables that have, or had, a history have the column.
  if (table?.columns.some(({ name }) => name === CHECKED_AT) !== true) return undefined;
  try {
    const [row] = await sql.unsafe<(Omit<Feed, 'volatile'> & { volatile: string })[]>(
      `SELECT feed AS id, version, array_to_json(volatile)::text AS volatile, missing, position::text AS position
        FROM ${feedTable(schema, 'feeds')} WHERE table_name = $1`,
      [table.name],
    );
    return row && { ...row, volatile: JSON.parse(row.volatile) as string[] };
  } catch (error) {
    if (errorCodeOf(error) === PG_ERRORS.undefinedTable) return undefined;
    throw error;
  }
}

/** The settings of the feeds of a schema's tables, by table. */
export async function listFeeds(
  sql: SqlRunner,
  schema: string,
  tables: readonly TableInfo[],
): Promise<Map<string, FeedSettings>> {
  const feeds = new Map<string, FeedSettings>();
  for (const table of tables) {
    const feed = await readFeed(sql, schema, table);
    if (feed) feeds.set(table.name, { volatile: feed.volatile, missing: feed.missing });
  }
  return feeds;
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
  version integer NOT NULL DEFAULT 1, volatile text[] NOT NULL, missing text NOT NULL, position bigint NOT NULL DEFAULT 0);
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
  const columns = [CHECKED_AT, ...(missing === 'mark' ? [REMOVED_AT] : [])];
  const added = columns.map((name) => `ADD COLUMN IF NOT EXISTS ${quoteIdentifier(name)} timestamptz`);
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
DO UPDATE SET feed = excluded.feed, version = 1, volatile = excluded.volatile, missing = excluded.missing, position = 0`,
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
