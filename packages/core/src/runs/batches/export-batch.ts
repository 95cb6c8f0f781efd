import { isApiId, PREBUILT_APIS } from '@gleaner/contracts';
import { stringify } from 'csv-stringify/sync';
import type { Context, Perform } from '../../platform/context.ts';
import { fitValue } from '../../storage/columns/fit-value.ts';
import { guardFormula, exportFile } from '../../storage/exports/export-file.ts';
import type { ExportColumn } from '../../storage/exports/parquet-column.ts';
import { parquetParts, type TextRow } from '../../storage/exports/parquet-parts.ts';
import { followPath, readPath } from '../../storage/sinks/read-path.ts';
import { answerColumns } from '../../storage/sinks/resolve-sink.ts';
import type { RunServices } from '../submission/run-services.ts';
import type { FoundRun } from '../submission/find-run.ts';
import { findReadableBatch, inputMembers, NO_END, readResults, type ResultRow } from './batch-results.ts';

/** The most results of one read. The next read begins after the client received these. */
const BLOCK = 200;

async function* readBlocks(ctx: Context, no: string): AsyncGenerator<ResultRow[], void, undefined> {
  let after = -1;
  for (;;) {
    const { rows, hasMore } = await readResults(ctx, no, { after, before: NO_END, limit: BLOCK });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (!hasMore) return;
    after = last.seq;
  }
}

/** The blocks in another form, after a head. */
async function* writeBlocks<T>(
  blocks: AsyncIterable<ResultRow[]>,
  write: (rows: readonly ResultRow[]) => T,
  head?: T,
): AsyncGenerator<T, void, undefined> {
  if (head !== undefined) yield head;
  for await (const rows of blocks) yield write(rows);
}

type AnswerColumn = ReturnType<typeof answerColumns>[number];

interface ExportShape {
  /** Name of the first column, which holds the input. */
  first: string;
  columns: AnswerColumn[];
}

async function readShape(ctx: Context<RunServices>, { target }: FoundRun): Promise<ExportShape> {
  let columns: AnswerColumn[] = [];
  if (target.type === 'parser') {
    const { schema } = await ctx.services.parsers.load(target.parserId, target.version);
    columns = answerColumns({ type: 'parser', schema });
  } else if (target.type === 'api' && isApiId(target.id)) {
    columns = answerColumns({ type: 'api', api: PREBUILT_APIS[target.id] });
  }
  const first = target.type === 'api' ? 'input' : 'url';
  return { first: columns.some(({ name }) => name === first) ? `_${first}` : first, columns };
}

function readAnswer({ answer }: ResultRow): Record<string, unknown> {
  return JSON.parse(answer) as Record<string, unknown>;
}

function valueOf({ name, path }: AnswerColumn, data: Record<string, unknown>): unknown {
  return path === undefined ? data[name] : followPath(readPath(path), data);
}

/** A value of a result as a CSV cell; objects and lists as JSON. */
export function toCell(value: unknown, guard: (text: string) => string = guardFormula): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guard(value);
  return JSON.stringify(value);
}

/** All results as a stream, read at the client's pace. */
export const exportBatch: Perform<'exportBatch', RunServices> = async (ctx, { params, query }) => {
  const run = await findReadableBatch(ctx, params.id);
  const blocks = readBlocks(ctx, run.no);
  if (query.format === 'ndjson') {
    const toLine = ({ input, answer }: ResultRow) => `{${inputMembers(run, input)},"data":${answer}}\n`;
    return exportFile(
      params.id,
      query,
      writeBlocks(blocks, (rows) => rows.map(toLine).join('')),
    );
  }
  const { first, columns } = await readShape(ctx, run);
  if (query.format === 'csv') {
    const guard = query.formulas === 'guard' ? guardFormula : (text: string) => text;
    const toCells = (row: ResultRow): string[] => {
      const data = readAnswer(row);
      return [guard(row.input), ...columns.map((column) => toCell(valueOf(column, data), guard))];
    };
    const head = stringify([[first, ...columns.map(({ name }) => name)]]);
    return exportFile(
      params.id,
      query,
      writeBlocks(blocks, (rows) => stringify(rows.map(toCells)), head),
    );
  }
  const toTexts = (row: ResultRow): TextRow => {
    const data = readAnswer(row);
    const cells = columns.map((column) => {
      const value = valueOf(column, data) ?? null;
      return value === null ? null : (fitValue(value, column.type) ?? null);
    });
    return [row.input, ...cells];
  };
  const all: ExportColumn[] = [{ name: first, type: 'text' }, ...columns];
  return exportFile(
    params.id,
    query,
    parquetParts(
      all,
      writeBlocks(blocks, (rows) => rows.map(toTexts)),
    ),
  );
};
