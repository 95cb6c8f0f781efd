import {
  AppError,
  type getBatchResults as operation,
  type JsonText,
  type OperationInput,
} from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor } from '../../platform/lists/cursor.ts';
import { MAX_PAGE_BYTES } from '../../platform/lists/page-bytes.ts';
import { findRun, refuseExpired, type FoundRun } from '../submission/find-run.ts';

export interface ResultRow {
  seq: number;
  input: string;
  /** JSON text. */
  answer: string;
}

/** Successes after an input's index, in input order: at most `limit`, fewer when results are large. */
export async function readResults(
  ctx: Context,
  no: string,
  after: number,
  limit: number,
): Promise<{ rows: ResultRow[]; hasMore: boolean }> {
  const found = await ctx.services.db.sql<(Omit<ResultRow, 'answer'> & { answer: string | null })[]>`
    SELECT seq, input, CASE WHEN NOT is_over THEN answer END AS answer FROM (
      SELECT page.*, row_number() OVER so_far > 1 AND sum(octet_length(answer)) OVER so_far > ${MAX_PAGE_BYTES} AS is_over
      FROM (
        SELECT o.seq, t.input, o.answer FROM gleaner.results o JOIN gleaner.tasks t ON t.run_no = o.run_no AND t.seq = o.seq
        WHERE o.run_no = ${no} AND o.seq > ${after} AND o.ok ORDER BY o.seq LIMIT ${limit + 1}
      ) page WINDOW so_far AS (ROWS UNBOUNDED PRECEDING)
    ) sized`;
  const rows = found
    .slice(0, limit)
    .flatMap(({ seq, input, answer }) => (answer === null ? [] : [{ seq, input, answer }]));
  return { rows, hasMore: found.length > rows.length };
}

/** `"url": …` and, for prebuilt APIs, `"input": …` of a result, as JSON text. */
export function inputMembers(run: FoundRun, input: string): string {
  if (run.target.type !== 'api') return `"url":${JSON.stringify(input)}`;
  const { url } = JSON.parse(input) as { url?: unknown };
  return `"url":${JSON.stringify(typeof url === 'string' ? url : '')},"input":${input}`;
}

/** Finds a batch that keeps its results. @throws AppError not_found, batch_writes_to_database */
export async function findReadableBatch(ctx: Context, id: string): Promise<FoundRun> {
  const run = await findRun(ctx, 'batch', id);
  if (run.mode === 'database') throw new AppError('batch_writes_to_database');
  refuseExpired(run);
  return run;
}

/** The index of the last input on the previous page; -1 for the first page. */
export function readPlace(cursor: string | undefined): number {
  if (cursor === undefined) return -1;
  const [seq] = decodeCursor(cursor, 1);
  if (typeof seq !== 'number' || !Number.isInteger(seq) || seq < 0 || seq > 2_147_483_647) {
    throw new AppError('invalid_request', {
      field: 'cursor',
      detail: 'this is not a cursor of this list',
    });
  }
  return seq;
}

export async function getBatchResults(
  ctx: Context,
  { params, query }: OperationInput<typeof operation>,
): Promise<JsonText> {
  const run = await findReadableBatch(ctx, params.id);
  const { rows, hasMore } = await readResults(ctx, run.no, readPlace(query.cursor), query.limit);
  const results = rows.map((row) => `{${inputMembers(run, row.input)},"data":${row.answer}}`);
  const last = rows.at(-1);
  const cursor = hasMore && last ? `,"cursor":${JSON.stringify(encodeCursor([last.seq]))}` : '';
  return { jsonText: `{"results":[${results.join(',')}]${cursor}}` };
}
