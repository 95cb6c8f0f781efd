import { cutText, isApiId, type FormulaRule } from '@gleaner/contracts';
import { stringify } from 'csv-stringify/sync';
import type { Context, Perform, Services } from '../../platform/context.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { fitValue, type TableType } from '../../storage/columns/table-types.ts';
import { guardFormula, exportFile, writeBlocks, toCell } from '../../storage/exports/export-file.ts';
import { parquetParts } from '../../storage/exports/parquet-parts.ts';
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

/** @param isOfParents as of `readResults` */
export async function* readBlocks(
  ctx: Context,
  no: string,
  isOfParents = false,
): AsyncGenerator<ResultRow[], void, undefined> {
  let after = -1;
  for (;;) {
    const { rows, hasMore } = await readResults(ctx, no, {
      after,
      before: NO_END,
      limit: BLOCK,
      isOfParents,
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

/** A column of an export with columns. */
interface ExportedColumn {
  name: string;
  type: TableType;
  /** The field of the answer that it is or belongs to: `price` for price_currency, too. Null for others. */
  field: string | null;
  read: (row: ResultRow, data: Record<string, unknown>) => unknown;
}

/** A name that no other column has: underscores before it tell it from fields and carried values. */
export function freeName(name: string, others: readonly string[]): string {
  return others.includes(name) ? freeName(`_${name}`, others) : name;
}

/** The names of the columns that say how pages were fetched and what they cost. */
export function fetchedNames(others: readonly string[]): [fetchedBy: string, price: string] {
  return [freeName('_fetched_by', others), freeName('_price', others)];
}

/** `_fetched_by` and `_price`, when the ways of the pages differ. */
function fetchedColumns(
  { fetching }: Pick<FoundRun, 'fetching'>,
  others: readonly string[],
): ExportedColumn[] {
  if (fetching.ways === null) return [];
  const [fetchedBy, paid] = fetchedNames(others);
  return [
    { name: fetchedBy, type: 'text', field: null, read: ({ way }) => fetchedByOf(fetching, way) },
    { name: paid, type: 'integer', field: null, read: ({ price }) => price },
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

/** The columns that a request names, else all. @throws AppError invalid_request (columns) */
function chooseColumns(all: readonly ExportedColumn[], names: string | undefined): readonly ExportedColumn[] {
  if (names === undefined) return all;
  return names.split(',').map((text) => {
    const found = all.find(({ name }) => name === text.trim());
    if (found === undefined)
      throw invalid('columns', `the results have no column ${cutText(text.trim(), 80)}`);
    return found;
  });
}

async function readColumns(
  ctx: Context<RunServices>,
  run: FoundRun,
  names: string | undefined,
): Promise<readonly ExportedColumn[]> {
  const { target, carry } = run;
  const answers = await readAnswerColumns(ctx, target);
  const carried = Object.entries(carry ?? {});
  const others = [
    ...carried.map(([column, name]): ExportedColumn => {
      return { name: column, type: 'text', field: null, read: (row) => toText(row.values?.[name]) };
    }),
    ...answers.map((column): ExportedColumn => {
      return {
        name: column.name,
        type: column.type,
        field: column.path === undefined ? column.name : (readPath(column.path)[0] ?? column.name),
        read: (_row, data) => valueOf(column, data),
      };
    }),
  ];
  const taken = others.map((column) => column.name);
  const name = freeName(target.type === 'api' ? 'input' : 'url', taken);
  const input: ExportedColumn = { name, type: 'text', field: null, read: (row) => row.input };
  return chooseColumns([input, ...others, ...fetchedColumns(run, [...taken, name])], names);
}

export function readAnswer({ answer }: ResultRow): Record<string, unknown> {
  return JSON.parse(answer) as Record<string, unknown>;
}

export function valueOf({ name, path }: AnswerColumn, data: Record<string, unknown>): unknown {
  return path === undefined ? data[name] : followPath(readPath(path), data);
}

/** A value of an input as text. */
function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : toCell(value, (text) => text);
}

interface CellFile {
  format: 'csv' | 'xlsx';
  formulas: FormulaRule;
  names: readonly string[];
}

/** Blocks of rows as CSV or xlsx. @throws AppError invalid_request (format): too large for a spreadsheet */
export async function cellParts(
  ctx: Context<Services & SheetServices>,
  { format, formulas, names }: CellFile,
  blocks: AsyncIterable<readonly (readonly unknown[])[]>,
): Promise<AsyncIterable<string | Uint8Array>> {
  const each =
    <T>(toCellOf: (value: unknown) => T) =>
    (rows: readonly (readonly unknown[])[]): T[][] =>
      rows.map((row) => row.map(toCellOf));
  if (format === 'xlsx') return ctx.services.sheets.write(names, writeBlocks(blocks, each(toSheetCell)), ctx);
  const guard = formulas === 'guard' ? guardFormula : (text: string) => text;
  const toCells = each((value) => toCell(value, guard));
  return writeBlocks(blocks, (rows) => stringify(toCells(rows)), stringify([[...names]]));
}

/** The lines of an export; with `columns`, the data has the fields of these alone. */
function toLineOf(run: FoundRun, columns: readonly ExportedColumn[] | undefined): (row: ResultRow) => string {
  const fields = columns?.flatMap(({ field }) => field ?? []);
  return (row) => {
    let { answer } = row;
    if (fields !== undefined) {
      const data = readAnswer(row);
      answer = JSON.stringify(Object.fromEntries(fields.map((field) => [field, data[field] ?? null])));
    }
    return `{${resultMembers(run, row)},"data":${answer}}\n`;
  };
}

/** All results as a stream, read at the client's pace. */
export const exportBatch: Perform<'exportBatch', RunServices & SheetServices> = async (
  ctx,
  { params, query },
) => {
  const run = await findReadableBatch(ctx, params.id);
  const blocks = readBlocks(ctx, run.no);
  const isWhole = query.format === 'ndjson' && query.columns === undefined;
  const columns = isWhole ? undefined : await readColumns(ctx, run, query.columns);
  const file = (stream: AsyncIterable<string | Uint8Array>) => exportFile(params.id, query, stream);
  if (query.format === 'ndjson' || columns === undefined) {
    const toLine = toLineOf(run, columns);
    return file(writeBlocks(blocks, (rows) => rows.map(toLine).join('')));
  }
  const rowsAs =
    <T>(toValue: (value: unknown, column: ExportedColumn) => T) =>
    (rows: readonly ResultRow[]): T[][] =>
      rows.map((row) => {
        const data = readAnswer(row);
        return columns.map((column) => toValue(column.read(row, data), column));
      });
  const names = columns.map(({ name }) => name);
  const { format, formulas } = query;
  if (format !== 'parquet')
    return file(
      await cellParts(
        ctx,
        { format, formulas, names },
        writeBlocks(
          blocks,
          rowsAs((value) => value),
        ),
      ),
    );
  const toTexts = rowsAs((value, { type }) =>
    value === null || value === undefined ? null : (fitValue(value, type) ?? null),
  );
  return file(parquetParts(columns, writeBlocks(blocks, toTexts)));
};
