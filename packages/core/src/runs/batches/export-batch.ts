import {
  isApiId,
  PREBUILT_APIS,
  type exportBatch as operation,
  type OperationInput,
  type StreamAnswer,
} from '@gleaner/contracts';
import { stringify } from 'csv-stringify/sync';
import type { Context } from '../../platform/context.ts';
import { guardFormula } from '../../storage/databases/csv-cell.ts';
import type { RunServices } from '../submission/run-services.ts';
import type { FoundRun } from '../submission/find-run.ts';
import { findReadableBatch, inputMembers, NO_END, readResults, type ResultRow } from './batch-results.ts';

/** Results of one read. The next read begins when the client has taken these. */
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

async function* toNdjson(ctx: Context, run: FoundRun): AsyncGenerator<string, void, undefined> {
  for await (const rows of readBlocks(ctx, run.no)) {
    yield rows.map((row) => `{${inputMembers(run, row.input)},"data":${row.answer}}\n`).join('');
  }
}

async function readColumns(ctx: Context<RunServices>, { target }: FoundRun): Promise<string[]> {
  if (target.type === 'parser') {
    const { schema } = await ctx.services.parsers.load(target.parserId, target.version);
    return Object.keys(schema.fields);
  }
  return target.type === 'api' && isApiId(target.id)
    ? Object.keys(PREBUILT_APIS[target.id].output.shape)
    : [];
}

/** A value of a result as a CSV cell; objects and lists as JSON. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value);
  return JSON.stringify(value);
}

async function* toCsv(ctx: Context<RunServices>, run: FoundRun): AsyncGenerator<string, void, undefined> {
  const columns = await readColumns(ctx, run);
  const first = run.target.type === 'api' ? 'input' : 'url';
  yield stringify([[columns.includes(first) ? `_${first}` : first, ...columns]]);
  for await (const rows of readBlocks(ctx, run.no)) {
    yield stringify(
      rows.map(({ input, answer }) => {
        const data = JSON.parse(answer) as Record<string, unknown>;
        return [guardFormula(input), ...columns.map((name) => toCell(data[name]))];
      }),
    );
  }
}

/** All results as a stream, read at the client's pace. */
export async function exportBatch(
  ctx: Context<RunServices>,
  { params, query }: OperationInput<typeof operation>,
): Promise<StreamAnswer> {
  const run = await findReadableBatch(ctx, params.id);
  return query.format === 'csv'
    ? { contentType: 'text/csv; charset=utf-8', filename: `${params.id}.csv`, stream: toCsv(ctx, run) }
    : { contentType: 'application/x-ndjson', filename: `${params.id}.ndjson`, stream: toNdjson(ctx, run) };
}
