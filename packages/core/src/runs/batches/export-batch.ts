import { isApiId, type FormulaRule } from '@gleaner/contracts';
import { stringify } from 'csv-stringify/sync';
import type { Context, Perform } from '../../platform/context.ts';
import { fitValue } from '../../storage/columns/table-types.ts';
import { guardFormula, exportFile, writeBlocks } from '../../storage/exports/export-file.ts';
import { type ExportColumn, parquetParts, type TextRow } from '../../storage/exports/parquet-parts.ts';
import { toSheetCell, type SheetServices } from '../../storage/sheets/sheets.ts';
import { followPath, readPath } from '../../storage/sinks/read-path.ts';
import { answerColumns } from '../../storage/sinks/resolve-sink.ts';
import type { RunServices } from '../submission/run-services.ts';
import { readSource } from '../submission/run-sink.ts';
import type { FoundRun } from '../submission/find-run.ts';
import { fetchedByOf } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { findReadableBatch, resultMembers, NO_END, readResults, type ResultRow } from './batch-results.ts';

/** The most results of one read. The next read begins after the client received these. */
const BLOCK = 200;
/** Their most text: many exports of which nobody reads are in memory with one read each. */
const BLOCK_BYTES = 1024 * 1024;

export async function* readBlocks(ctx: Context, no: string): AsyncGenerator<ResultRow[], void, undefined> {
  let after = -1;
  for (;;) {
    const { rows, hasMore } = await readResults(ctx, no, {
      after,
      before: NO_END,
      limit: BLOCK,
      maxBytes: BLOCK_BYTES,
    });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (!hasMore) return;
    after = last.seq;
  }
}

export type AnswerColumn = ReturnType<typeof answerColumns>[number];

interface ExportShape {
  /** Name of the first column, which holds the input. */
  first: string;
  /** Columns of values of the input, and their names. */
  carried: [column: string, name: string][];
  columns: AnswerColumn[];
  /** How the rows were fetched; none of a run with one way. */
  fetched: FetchedColumn[];
}

interface FetchedColumn {
  name: string;
  type: 'text' | 'integer';
  valueOf: (row: ResultRow) => string | null;
}

/** `_fetched_by` and `_price`, when the ways of the pages differ. */
function fetchedColumns({ fetching }: Pick<FoundRun, 'fetching'>): FetchedColumn[] {
  if (fetching.ways === null) return [];
  return [
    { name: '_fetched_by', type: 'text', valueOf: ({ way }) => fetchedByOf(fetching, way) },
    { name: '_price', type: 'integer', valueOf: ({ price }) => String(price) },
  ];
}

/** The columns of a target's answers; none when it is a prebuilt API that is gone. */
export async function readAnswerColumns(
  ctx: Context<RunServices>,
  target: TaskTarget,
): Promise<AnswerColumn[]> {
  if (target.type === 'api' && !isApiId(target.id)) return [];
  return answerColumns(await readSource(ctx.services.parsers, target));
}

async function readShape(ctx: Context<RunServices>, run: FoundRun): Promise<ExportShape> {
  const { target, carry } = run;
  const columns = await readAnswerColumns(ctx, target);
  const first = target.type === 'api' ? 'input' : 'url';
  const carried = Object.entries(carry ?? {});
  const isTaken = [...columns.map(({ name }) => name), ...carried.map(([column]) => column)].includes(first);
  return { first: isTaken ? `_${first}` : first, carried, columns, fetched: fetchedColumns(run) };
}

export function readAnswer({ answer }: ResultRow): Record<string, unknown> {
  return JSON.parse(answer) as Record<string, unknown>;
}

export function valueOf({ name, path }: AnswerColumn, data: Record<string, unknown>): unknown {
  return path === undefined ? data[name] : followPath(readPath(path), data);
}

/** A value of a result as a CSV cell; objects and lists as JSON. */
export function toCell(value: unknown, guard: (text: string) => string = guardFormula): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guard(value);
  return JSON.stringify(value);
}

/** A value of an input as a text of Parquet. */
function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : toCell(value, (text) => text);
}

/** How cells of a CSV file are guarded. */
export function guardOf(formulas: FormulaRule): (text: string) => string {
  return formulas === 'guard' ? guardFormula : (text) => text;
}

/** All results as a stream, read at the client's pace. */
export const exportBatch: Perform<'exportBatch', RunServices & SheetServices> = async (
  ctx,
  { params, query },
) => {
  const run = await findReadableBatch(ctx, params.id);
  const blocks = readBlocks(ctx, run.no);
  if (query.format === 'ndjson') {
    const toLine = (row: ResultRow) => `{${resultMembers(run, row)},"data":${row.answer}}\n`;
    return exportFile(
      params.id,
      query,
      writeBlocks(blocks, (rows) => rows.map(toLine).join('')),
    );
  }
  const { first, carried, columns, fetched } = await readShape(ctx, run);
  if (query.format === 'csv') {
    const guard = guardOf(query.formulas);
    const toCells = (row: ResultRow): string[] => {
      const data = readAnswer(row);
      return [
        guard(row.input),
        ...carried.map(([, name]) => toCell(row.values?.[name], guard)),
        ...columns.map((column) => toCell(valueOf(column, data), guard)),
        ...fetched.map((column) => toCell(column.valueOf(row))),
      ];
    };
    const head = stringify([
      [
        first,
        ...carried.map(([column]) => column),
        ...columns.map(({ name }) => name),
        ...fetched.map(({ name }) => name),
      ],
    ]);
    return exportFile(
      params.id,
      query,
      writeBlocks(blocks, (rows) => stringify(rows.map(toCells)), head),
    );
  }
  if (query.format === 'xlsx') {
    const header = [first, ...carried.map(([column]) => column), ...columns.map(({ name }) => name)];
    const toSheetCells = (row: ResultRow) => {
      const data = readAnswer(row);
      const values = carried.map(([, name]) => row.values?.[name]);
      return [row.input, ...values, ...columns.map((column) => valueOf(column, data))].map(toSheetCell);
    };
    const made = writeBlocks(blocks, (rows) => rows.map(toSheetCells));
    return exportFile(params.id, query, await ctx.services.sheets.write(header, made, ctx));
  }
  const toTexts = (row: ResultRow): TextRow => {
    const data = readAnswer(row);
    const cells = columns.map((column) => {
      const value = valueOf(column, data) ?? null;
      return value === null ? null : (fitValue(value, column.type) ?? null);
    });
    return [
      row.input,
      ...carried.map(([, name]) => toText(row.values?.[name])),
      ...cells,
      ...fetched.map((column) => column.valueOf(row)),
    ];
  };
  const texts = [first, ...carried.map(([column]) => column)];
  const all: ExportColumn[] = [
    ...texts.map((name) => ({ name, type: 'text' as const })),
    ...columns,
    ...fetched,
  ];
  return exportFile(
    params.id,
    query,
    parquetParts(
      all,
      writeBlocks(blocks, (rows) => rows.map(toTexts)),
    ),
  );
};
