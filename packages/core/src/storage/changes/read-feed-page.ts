import type { ChangeKind } from '@gleaner/contracts';
import { MAX_PAGE_BYTES } from '../../platform/lists/page.ts';
import { feedTable } from '../databases/feed-tables.ts';
import type { SqlRunner } from '../databases/sql-text.ts';
import { feedGone, type FeedPlace } from './feed-cursor.ts';

/** A change as it is stored; the JSON is text. */
export interface StoredChange {
  position: string;
  no: string;
  kind: ChangeKind;
  key: string;
  at: string;
  run_id: string | null;
  before: string | null;
  after: string | null;
  row: string | null;
}

/** The columns of a stored change; `g` is the change. */
export const CHANGE_COLUMNS = `g.kind, g.key::text AS key, g.run_id, g.before::text AS before, g.after::text AS after, g.row::text AS row,
  to_char(g.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`;

const MICROSECONDS = `(extract(epoch FROM c.at) * 1000000)::bigint::text`;

interface CommitRow {
  position: string;
  at: string;
  last: string;
  /** Its changes were removed, or there never were any. */
  is_empty: boolean;
}

async function readCommit(
  sql: SqlRunner,
  schema: string,
  condition: string,
  parameters: string[],
): Promise<CommitRow | undefined> {
  const [row] = await sql.unsafe<CommitRow[]>(
    `SELECT c.position::text AS position, ${MICROSECONDS} AS at, coalesce(c.last, 0)::text AS last, c.tx IS NULL AS is_empty
      FROM ${feedTable(schema, 'commits')} c WHERE c.feed = $1 ${condition} LIMIT 1`,
    parameters,
  );
  return row;
}

/** The place before the oldest kept change, or after the newest one. */
export async function edgeOf(
  sql: SqlRunner,
  schema: string,
  feed: string,
  edge: 'begin' | 'end',
): Promise<FeedPlace> {
  const order = edge === 'begin' ? 'ORDER BY c.position' : 'ORDER BY c.position DESC';
  const commit = await readCommit(sql, schema, order, [feed]);
  if (!commit) throw feedGone('the feed of this table has ended');
  const { position, at, last, is_empty: isEmpty } = commit;
  return { feed, position, at, no: edge === 'begin' && !isEmpty ? '0' : last };
}

/** @throws AppError gone: changes after the place were removed, or the feed has another past since it was restored */
export async function requirePlace(sql: SqlRunner, schema: string, place: FeedPlace): Promise<void> {
  const commit = await readCommit(sql, schema, 'AND c.position = $2::text::bigint', [
    place.feed,
    place.position,
  ]);
  const isKept = commit?.at === place.at && !(commit.is_empty && Number(place.no) < Number(commit.last));
  if (!isKept) throw feedGone('changes after this cursor are kept no more, or the table was restored');
}

export interface FeedPage {
  changes: (StoredChange & { place: FeedPlace })[];
  /** Where the next page begins; beyond the last change when others followed that were not asked for. */
  next: FeedPlace;
  isEnd: boolean;
}

interface PageRow extends StoredChange {
  committed: string;
  is_wanted: boolean;
  is_over: boolean;
}

/** Changes that a page passes over at most, when it looks for kinds. */
const MOST_PASSED = 1_000;

/**
 * The changes after a place, in the order of commits, or those before it, newest first: two ranges of primary keys, so that a
 * page costs the same anywhere in a feed. Large changes end it early.
 */
export async function readFeedPage(
  sql: SqlRunner,
  schema: string,
  from: FeedPlace,
  {
    limit,
    kinds,
    isBack = false,
  }: { limit: number; kinds?: readonly ChangeKind[] | undefined; isBack?: boolean },
): Promise<FeedPage> {
  const most = kinds === undefined ? limit : MOST_PASSED;
  const { feed, position, no } = from;
  const [beyond, order] = isBack ? ['<', 'DESC'] : ['>', 'ASC'];
  const isWanted = kinds === undefined ? 'true' : `g.kind = ANY (string_to_array($4, ','))`;
  const text = `WITH commits AS (
  SELECT position, tx, first, last, at, size,
    sum(CASE WHEN position ${beyond} $2::text::bigint THEN size ELSE 0 END) OVER (ORDER BY position ${order} ROWS UNBOUNDED PRECEDING) AS so_far
  FROM (SELECT * FROM ${feedTable(schema, 'commits')} WHERE feed = $1 AND position ${beyond}= $2::text::bigint ORDER BY position ${order} LIMIT ${most + 1}) c
), places AS (
  SELECT c.position, c.at AS committed, g.tx, g.no FROM commits c CROSS JOIN LATERAL (
    SELECT g.tx, g.no FROM ${feedTable(schema, 'changes')} g
    WHERE g.tx = c.tx AND g.no BETWEEN c.first AND c.last AND (c.position ${beyond} $2::text::bigint OR g.no ${beyond} $3::text::bigint)
    ORDER BY g.no ${order} LIMIT ${most}) g
  WHERE c.so_far - c.size < ${most} ORDER BY c.position ${order}, g.no ${order} LIMIT ${most}
), sized AS (
  SELECT p.position, p.no, p.committed, ${isWanted} AS is_wanted, row_number() OVER w > 1
    AND sum(CASE WHEN ${isWanted} THEN coalesce(octet_length(g.before::text), 0) + coalesce(octet_length(g.after::text), 0)
      + coalesce(octet_length(g.row::text), 0) ELSE 0 END) OVER w > ${MAX_PAGE_BYTES}
    OR count(*) FILTER (WHERE ${isWanted}) OVER w > ${limit} AS is_over, p.tx
  FROM places p JOIN ${feedTable(schema, 'changes')} g ON g.tx = p.tx AND g.no = p.no
  WINDOW w AS (ORDER BY p.position ${order}, p.no ${order} ROWS UNBOUNDED PRECEDING)
)
SELECT s.position::text AS position, s.no::text AS no, s.is_wanted, s.is_over,
  (extract(epoch FROM s.committed) * 1000000)::bigint::text AS committed, ${CHANGE_COLUMNS}
FROM sized s LEFT JOIN ${feedTable(schema, 'changes')} g ON g.tx = s.tx AND g.no = s.no AND s.is_wanted AND NOT s.is_over
ORDER BY s.position ${order}, s.no ${order}`;
  const rows = await sql.unsafe<PageRow[]>(text, [
    feed,
    position,
    no,
    ...(kinds === undefined ? [] : [kinds.join(',')]),
  ]);
  const passed = rows.filter((row) => !row.is_over);
  const placed = passed.map((row) => ({
    ...row,
    place: { feed, position: row.position, no: row.no, at: row.committed },
  }));
  return {
    changes: placed.filter((row) => row.is_wanted),
    next: placed.at(-1)?.place ?? from,
    isEnd: passed.length === rows.length && rows.length < most,
  };
}
