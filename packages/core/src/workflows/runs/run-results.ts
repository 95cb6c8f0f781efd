import { AppError, type ResultMode } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import { decodePlaces, encodeCursor } from '../../platform/lists/page.ts';
import {
  firstUnfinished,
  resultMembers,
  NO_END,
  readResults,
  type ResultRow,
} from '../../runs/batches/batch-results.ts';
import {
  cellParts,
  fetchedNames,
  freeName,
  readAnswer,
  readAnswerColumns,
  readBlocks,
  valueOf,
  type AnswerColumn,
} from '../../runs/batches/export-batch.ts';
import { refuseDeleted } from '../../runs/submission/find-run.ts';
import type { RunServices } from '../../runs/submission/run-services.ts';
import type { CarriedNames } from '../../runs/stages/input-values.ts';
import { fetchedByOf, type Fetching } from '../../runs/tasks/run-config.ts';
import type { TaskTarget } from '../../runs/tasks/task-spec.ts';
import { exportFile } from '../../storage/exports/export-file.ts';
import type { SheetServices } from '../../storage/sheets/sheets.ts';
import { routeOf, stageOf } from '../stage-parts.ts';
import { PART_FETCHING } from './part-fetching.ts';

/** A part of a workflow run that keeps its results. */
interface ReadablePart {
  /** Its index in the run. */
  place: number;
  no: string;
  name: string;
  target: TaskTarget;
  /** The names of the values of inputs that it keeps, by column; null: none. */
  carry: CarriedNames | null;
  fetching: Fetching;
  /** Reads pages that the crawl fetched. */
  isRoute: boolean;
}

type PartRow = ReadablePart & { mode: ResultMode; expired: boolean; deleted: boolean };

/** @throws AppError not_found, batch_writes_to_database: no part keeps its results */
async function findParts(
  ctx: Context,
  id: string,
  { stage, route }: { stage?: string | undefined; route?: string | undefined },
): Promise<ReadablePart[]> {
  const rows = await ctx.services.db.sql<PartRow[]>`
    SELECT s.stage AS place, s.run_no::text AS no, s.name, r.target, r.config -> 'carry' AS carry, r.mode,
      ${ctx.services.db.sql.unsafe(PART_FETCHING)} AS fetching, s.role IS NOT DISTINCT FROM 'route' AS "isRoute",
      coalesce(root.finished_at < now() - interval '24 hours', false) AS expired, root.expires_at IS NOT NULL AS deleted
    FROM gleaner.workflow_runs w JOIN gleaner.runs root ON root.no = w.no JOIN gleaner.stages s ON s.root_no = w.no
    JOIN gleaner.runs r ON r.no = s.run_no
    WHERE w.id = ${id} AND w.account_id = ${ctx.accountId} ORDER BY s.stage`;
  const [first] = rows;
  if (!first) throw new AppError('not_found');
  refuseDeleted(first);
  if (first.expired)
    throw new AppError('not_found', { detail: 'the results were removed 24 hours after the end of the run' });
  const wanted = rows.filter(
    ({ name, target }) =>
      target.type !== 'crawl' &&
      (stage === undefined || stageOf(name) === stage) &&
      (route === undefined || routeOf(name) === route),
  );
  const readable = wanted.filter(({ mode }) => mode === 'return');
  if (wanted.length > 0 && readable.length === 0) throw new AppError('batch_writes_to_database');
  return readable;
}

function toLine(part: ReadablePart, row: ResultRow): string {
  const place = `"stage":${JSON.stringify(stageOf(part.name))},"route":${JSON.stringify(routeOf(part.name))}`;
  return `{${resultMembers(part, row)},${place},"data":${row.answer}}`;
}

type Place = readonly [place: number, seq: number];

/**
 * Stage by stage. A stage that has not ended ends the page: what follows it is read later, so a walk misses nothing.
 * @returns where the next page begins; undefined when the run has ended and everything was read
 */
async function readPageOf(
  ctx: Context,
  parts: readonly ReadablePart[],
  [place, seq]: Place,
  limit: number,
): Promise<{ lines: string[]; next: Place | undefined }> {
  const lines: string[] = [];
  for (const part of parts.filter((one) => one.place >= place)) {
    const after = part.place === place ? seq : -1;
    // Before the results are read: what ends in between is on the next page.
    const before = await firstUnfinished(ctx, part.no);
    const { rows, hasMore } = await readResults(ctx, part.no, {
      after,
      before,
      limit: limit - lines.length,
      isOfParents: part.isRoute,
    });
    lines.push(...rows.map((row) => toLine(part, row)));
    const last = rows.at(-1)?.seq ?? after;
    if (hasMore || lines.length >= limit) return { lines, next: [part.place, last] };
    if (before !== NO_END) return { lines, next: [part.place, Math.max(last, before - 1)] };
  }
  return { lines, next: undefined };
}

/** A page of results of the parts without a sink. @throws AppError not_found, batch_writes_to_database */
export const getWorkflowRunResults: Perform<'getWorkflowRunResults'> = async (ctx, { params, query }) => {
  const parts = await findParts(ctx, params.id, query);
  const [place = 0, seq = -1] = query.cursor === undefined ? [] : decodePlaces('results', query.cursor, 2);
  const { lines, next } = await readPageOf(ctx, parts, [place, seq], query.limit);
  const cursor = next === undefined ? '' : `,"cursor":${JSON.stringify(encodeCursor('results', next))}`;
  return { jsonText: `{"results":[${lines.join(',')}]${cursor}}` };
};

async function* writeLines(ctx: Context, parts: readonly ReadablePart[]): AsyncGenerator<string> {
  for (const part of parts)
    for await (const rows of readBlocks(ctx, part.no, part.isRoute))
      yield rows.map((row) => `${toLine(part, row)}\n`).join('');
}

const FIRST_COLUMNS = ['url', 'stage', 'route'];

/** The results as rows of cells. */
async function readCells(ctx: Context<RunServices>, parts: readonly ReadablePart[]) {
  const byPart = new Map<ReadablePart, Map<string, AnswerColumn>>();
  for (const part of parts) {
    const columns = await readAnswerColumns(ctx, part.target);
    byPart.set(part, new Map(columns.map((column) => [column.name, column])));
  }
  // A name that several parts have is one column.
  const names = [...new Set([...byPart.values()].flatMap((columns) => [...columns.keys()]))];
  const carried = Object.entries(parts[0]?.carry ?? {});
  const own = carried.map(([column]) => column);
  const heads = FIRST_COLUMNS.map((name) => freeName(name, [...own, ...names]));
  const isClimbing = parts.some(({ fetching }) => fetching.ways !== null);
  const fetched = isClimbing ? fetchedNames([...heads, ...own, ...names]) : [];
  async function* read(): AsyncGenerator<unknown[][]> {
    for (const [part, columns] of byPart) {
      const toCells = (row: ResultRow): unknown[] => {
        const data = readAnswer(row);
        const cells = names.map((name) => {
          const column = columns.get(name);
          return column === undefined ? null : valueOf(column, data);
        });
        const values = carried.map(([, name]) => row.values?.[name]);
        const how = isClimbing ? [fetchedByOf(part.fetching, row.way), row.price] : [];
        return [row.input, stageOf(part.name), routeOf(part.name), ...values, ...cells, ...how];
      };
      for await (const rows of readBlocks(ctx, part.no, part.isRoute)) yield rows.map(toCells);
    }
  }
  return { names: [...heads, ...own, ...names, ...fetched], blocks: read() };
}

/** All those results as a stream, read at the client's pace. @throws AppError not_found, batch_writes_to_database */
export const exportWorkflowRunResults: Perform<
  'exportWorkflowRunResults',
  RunServices & SheetServices
> = async (ctx, { params, query }) => {
  const parts = await findParts(ctx, params.id, query);
  const { format, formulas } = query;
  if (format === 'ndjson') return exportFile(params.id, query, writeLines(ctx, parts));
  const { names, blocks } = await readCells(ctx, parts);
  return exportFile(params.id, query, await cellParts(ctx, { format, formulas, names }, blocks));
};
