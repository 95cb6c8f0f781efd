import { CHANGE_KINDS, type ChangeFilter, type ChangeKind } from '@gleaner/contracts';
import { feedTable, readFeed } from '../databases/feed-tables.ts';
import { quoteLiteral, type SqlRunner } from '../databases/sql-text.ts';
import { readTable } from '../databases/table-info.ts';
import { matchSql } from './match-changes.ts';
import { CHANGE_COLUMNS, type StoredChange } from './read-feed-page.ts';
import { toChange, type Change } from './show-change.ts';

/** The changes that one message shows, and their size as JSON. */
const MOST_SHOWN = 100;
const MOST_BYTES = 200_000;
/** How far the clock of an account's own server may be off. */
const CLOCK_MINUTES = 15;

/** How far a feed was told. */
export interface ToldPlace {
  feed: string;
  position: string;
}

export interface RunChanges {
  counts: Record<ChangeKind, number>;
  changes: Change[];
}

interface Asked {
  table: string;
  /** What the rows have as `_run_id`. */
  runs: readonly string[];
  /** Since when they write. */
  ageMs: number;
  told: ToldPlace | undefined;
  filters: readonly ChangeFilter[];
}

/** The place from which runs that began then can have changes: all later commits are theirs or newer. */
async function findStart(sql: SqlRunner, commits: string, feed: string, ageMs: number): Promise<string> {
  const [row] = await sql.unsafe<{ position: string }[]>(
    `SELECT c.position::text AS position FROM ${commits} c
      WHERE c.feed = $1 AND c.at < clock_timestamp() - $2::text::float8 * interval '1 ms' - interval '${CLOCK_MINUTES} minutes'
      ORDER BY c.position DESC LIMIT 1`,
    [feed, String(ageMs)],
  );
  return row?.position ?? '-1';
}

function within(changes: readonly Change[]): Change[] {
  let bytes = 0;
  return changes.filter((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change));
    return bytes <= MOST_BYTES;
  });
}

/**
 * What runs changed in a table since it was last told, for each filter; undefined when the table is gone or keeps no changes.
 * Costs what the table's changes since the start of the runs cost.
 */
export async function readRunChanges(
  sql: SqlRunner,
  schema: string,
  { table: name, runs, ageMs, told, filters }: Asked,
): Promise<{ place: ToldPlace; found: RunChanges[] } | undefined> {
  const table = await readTable(sql, schema, name);
  const feed = table && (await readFeed(sql, schema, table));
  if (!feed) return undefined;
  const [commits, changes] = (['commits', 'changes'] as const).map((one) => feedTable(schema, one));
  const from = told?.feed === feed.id ? told.position : await findStart(sql, commits ?? '', feed.id, ageMs);
  const own = runs.map(quoteLiteral).join(', ');
  const source = `${commits} c JOIN ${changes} g ON g.tx = c.tx AND g.no BETWEEN c.first AND c.last
    WHERE c.feed = $1 AND c.position > $2::text::bigint AND c.position <= $3::text::bigint AND g.run_id IN (${own})`;
  const parameters = [feed.id, from, feed.position];
  const found: RunChanges[] = [];
  for (const filter of filters) {
    const match = matchSql(filter);
    const counted = await sql.unsafe<{ kind: ChangeKind; count: string }[]>(
      `SELECT g.kind, count(*)::text AS count FROM ${source} AND ${match} GROUP BY 1`,
      parameters,
    );
    const first =
      counted.length === 0
        ? []
        : await sql.unsafe<StoredChange[]>(
            `SELECT c.position::text AS position, g.no::text AS no, ${CHANGE_COLUMNS}
              FROM ${source} AND ${match} ORDER BY c.position, g.no LIMIT ${MOST_SHOWN}`,
            parameters,
          );
    const counts = new Map(counted.map(({ kind, count }) => [kind, Number(count)]));
    found.push({
      counts: Object.fromEntries(
        CHANGE_KINDS.map((kind) => [kind, counts.get(kind) ?? 0]),
      ) as RunChanges['counts'],
      changes: within(first.map((change) => toChange(change, table.columns))),
    });
  }
  return { place: { feed: feed.id, position: feed.position }, found };
}
