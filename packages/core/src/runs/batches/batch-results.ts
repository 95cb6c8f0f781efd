import { AppError, MAX_INTEGER } from '@gleaner/contracts';
import type { Context, Perform, Services } from '../../platform/context.ts';
import { decodePlaces, encodeCursor, MAX_PAGE_BYTES } from '../../platform/lists/page.ts';
import { createInputReader, type InputValues } from '../stages/input-values.ts';
import { fetchedByOf, type Fetching } from '../tasks/run-config.ts';
import { inputAddress } from '../tasks/check-input.ts';
import { findRun, refuseExpired, type FoundRun } from '../submission/find-run.ts';

export interface ResultRow {
  seq: number;
  input: string;
  /** JSON text. */
  answer: string;
  /** What its task keeps of the input. */
  values: InputValues;
  /** The way by which its page was read; null: the first. */
  way: number | null;
  /** Credits that were charged for it. */
  price: number;
}

type StoredRow = Omit<ResultRow, 'answer' | 'values'> & { answer: string | null; carried: string | null };

/** A context, or what a duty has of one. */
interface ResultReader {
  services: Pick<Services, 'db'>;
}

interface ResultPlace {
  /** Index of the last input that was read; -1 at the start. */
  after: number;
  /** Exclusive. */
  before: number;
  limit: number;
  /** Its tasks read pages that their parents fetched and were charged for: those of a route. */
  isOfParents?: boolean | undefined;
  /** The most text, but for a first row that is larger. Default MAX_PAGE_BYTES. */
  maxBytes?: number;
}

/** Successes of a range of inputs, in input order: at most `limit`, fewer when results are large. */
export async function readResults(
  ctx: ResultReader,
  no: string,
  { after, before, limit, isOfParents = false, maxBytes = MAX_PAGE_BYTES }: ResultPlace,
): Promise<{ rows: ResultRow[]; hasMore: boolean }> {
  const found = await ctx.services.db.sql<StoredRow[]>`
    SELECT seq, input, carried, way, price, CASE WHEN NOT is_over THEN answer END AS answer FROM (
      SELECT page.*, row_number() OVER so_far > 1 AND sum(octet_length(answer)) OVER so_far > ${maxBytes} AS is_over
      FROM (
        SELECT o.seq, t.input, t.carried, o.answer, coalesce(f.way, o.way) AS way, coalesce(f.credits, o.credits) AS price
        FROM gleaner.results o CROSS JOIN LATERAL (
          SELECT n.input, n.carried, n.parent_no, n.parent_seq FROM gleaner.tasks n WHERE n.run_no = o.run_no AND n.seq = o.seq LIMIT 1
        ) t LEFT JOIN LATERAL (
          SELECT n.way, n.credits FROM gleaner.results n
          WHERE ${isOfParents}::boolean AND n.run_no = t.parent_no AND n.seq = t.parent_seq LIMIT 1
        ) f ON true
        WHERE o.run_no = ${no} AND o.seq > ${after} AND o.seq < ${before} AND o.ok ORDER BY o.seq LIMIT ${limit + 1}
      ) page WINDOW so_far AS (ROWS UNBOUNDED PRECEDING)
    ) sized`;
  const readValues = createInputReader(ctx.services);
  const rows: ResultRow[] = [];
  for (const { answer, carried, ...row } of found.slice(0, limit))
    if (answer !== null) rows.push({ ...row, answer, values: await readValues(no, carried) });
  return { rows, hasMore: found.length > rows.length };
}

/** Beyond every input. */
export const NO_END = MAX_INTEGER;

/**
 * The index of the first input without an outcome; `NO_END` when the run has ended. Every input before it keeps the
 * outcome that it has, so a walk that ends there misses nothing.
 */
export async function firstUnfinished(ctx: ResultReader, no: string): Promise<number> {
  const [row] = await ctx.services.db.sql<{ first: number }[]>`
    SELECT CASE WHEN r.state NOT IN ('pending', 'running') THEN ${NO_END}::int
      ELSE least(r.carved, coalesce(held.first, r.carved)) END AS first
    FROM gleaner.runs r CROSS JOIN LATERAL (
      SELECT min(open.seq) AS first FROM gleaner.chunks c CROSS JOIN LATERAL (
        SELECT s.seq FROM unnest(coalesce(c.seqs, ARRAY(SELECT generate_series(c.from_seq, c.to_seq - 1)))) s (seq)
        WHERE NOT EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = c.run_no AND o.seq = s.seq)
        ORDER BY s.seq LIMIT 1
      ) open WHERE c.run_no = r.no
    ) held WHERE r.no = ${no}`;
  return row?.first ?? NO_END;
}

/** `"url": …`, for prebuilt APIs and kept values `"input": …`, and how a result was fetched, as JSON text. */
export function resultMembers(
  run: Pick<FoundRun, 'target'> & { fetching: Fetching },
  { input, values, way, price }: Pick<ResultRow, 'input' | 'values' | 'way' | 'price'>,
): string {
  const isApi = run.target.type === 'api';
  const url = JSON.stringify(isApi ? inputAddress(run.target, input) : input);
  const kept = isApi ? input : JSON.stringify(values);
  const fetchedBy = JSON.stringify(fetchedByOf(run.fetching, way));
  return `"url":${url}${kept === undefined ? '' : `,"input":${kept}`},"fetched_by":${fetchedBy},"price":${price}`;
}

/** Finds a batch that keeps its results. @throws AppError not_found, batch_writes_to_database */
export async function findReadableBatch(ctx: Context, id: string): Promise<FoundRun> {
  const run = await findRun(ctx, 'batch', id);
  if (run.mode === 'database') throw new AppError('batch_writes_to_database');
  refuseExpired(run);
  return run;
}

/** The index of the last input that earlier pages passed; -1 for the first page. */
export function readPlace(list: string, cursor: string | undefined): number {
  const [seq = -1] = cursor === undefined ? [] : decodePlaces(list, cursor, 1);
  return seq;
}

/** Where the next page begins; undefined when the run has ended and everything was read. */
function nextPlace(page: {
  after: number;
  before: number;
  last: ResultRow | undefined;
  hasMore: boolean;
}): number | undefined {
  if (page.hasMore) return page.last?.seq ?? page.after;
  return page.before === NO_END ? undefined : Math.max(page.after, page.before - 1);
}

/** A page of results, in input order. While the batch runs it ends before the first input without an outcome. */
export const getBatchResults: Perform<'getBatchResults'> = async (ctx, { params, query }) => {
  const run = await findReadableBatch(ctx, params.id);
  const after = readPlace('results', query.cursor);
  // Before the results are read: what ends in between is on the next page.
  const before = await firstUnfinished(ctx, run.no);
  const { rows, hasMore } = await readResults(ctx, run.no, { after, before, limit: query.limit });
  const results = rows.map((row) => `{${resultMembers(run, row)},"data":${row.answer}}`);
  const next = nextPlace({ after, before, last: rows.at(-1), hasMore });
  const cursor = next === undefined ? '' : `,"cursor":${JSON.stringify(encodeCursor('results', [next]))}`;
  return { jsonText: `{"results":[${results.join(',')}]${cursor}}` };
};
