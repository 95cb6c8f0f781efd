import { AppError, type Sink } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Context, Perform } from '../platform/context.ts';
import { encodeCursor, listPage } from '../platform/lists/page.ts';
import { findRun } from '../runs/submission/find-run.ts';
import type { RunServices } from '../runs/submission/run-services.ts';
import { readRowsByKey, type TableRow } from './read-table-rows.ts';
import { openRunSink } from '../runs/submission/run-sink.ts';
import { carriedColumns, readColumnValues } from '../runs/stages/input-values.ts';
import type { RunConfig } from '../runs/tasks/run-config.ts';
import type { TaskTarget } from '../runs/tasks/task-spec.ts';

/** A row that is held back. */
interface HeldRow {
  seq: number;
  url: string;
  /** JSON text. */
  answer: string;
}

interface RunRow {
  id: string;
  target: TaskTarget;
  config: RunConfig;
  sink: Sink | null;
}

/**
 * The rows of the table that held rows would replace, by place in the batch: those with the same key. When the sink can
 * no longer be written, they are found by address. Undefined for a sink without a table or with several rows per page.
 * Null: it and those of greater places are larger than a page of a list.
 */
export async function readCurrentRows(
  ctx: Context<RunServices>,
  runNo: string,
  held: readonly HeldRow[],
): Promise<Map<number, TableRow | null> | undefined> {
  const [run] = await ctx.services.db.sql<RunRow[]>`
    SELECT id, target, config, sink FROM gleaner.runs WHERE no = ${runNo} AND account_id = ${ctx.accountId}`;
  const sink = run?.sink;
  if (run === undefined || sink?.mode !== 'database' || sink.rows !== undefined) return undefined;
  const columns = carriedColumns(run);
  const writer = await openRunSink(ctx.services, {
    ...run,
    accountId: ctx.accountId,
    sink,
    carried: columns,
  }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'invalid_request') return undefined;
    throw error;
  });
  if (writer !== undefined) {
    // The values of the key's columns that writing a row would use; none when it can't be written.
    const valuesOf = await readColumnValues(ctx.services, { run: runNo, columns, tasks: held });
    const keys = held.flatMap(({ seq, url, answer }) => {
      const data = JSON.parse(answer) as unknown;
      const made = writer.toRows({ url, fetchedAt: performance.now(), data, carried: valuesOf(seq) });
      const row = 'error' in made ? undefined : made.rows[0];
      return row === undefined ? [] : [[seq, row.key.split('\0')] as const];
    });
    return readRowsByKey(ctx, sink, writer.keyColumns(), new Map(keys));
  }
  return readRowsByKey(
    ctx,
    sink,
    [{ name: '_url', type: 'text' }],
    new Map(held.map(({ seq, url }) => [seq, [url]])),
  );
}

const { quarantinedRows } = tables;

export const listQuarantinedRows: Perform<'listQuarantinedRows', RunServices> = async (
  ctx,
  { params, query },
) => {
  const { no } = await findRun(ctx, 'batch', params.id);
  const size = sql<number>`octet_length(${quarantinedRows.answer})`;
  const page = await listPage(
    query,
    quarantinedRows.seq,
    [
      eq(quarantinedRows.runNo, BigInt(no)),
      query.state === undefined ? undefined : eq(quarantinedRows.state, query.state),
    ],
    ctx.services.db.orm
      .select({ ...getTableColumns(quarantinedRows), id: quarantinedRows.seq })
      .from(quarantinedRows),
    ctx.services.db.orm.select({ size }).from(quarantinedRows),
  );
  const current = query.with_current === true ? await readCurrentRows(ctx, no, page.items) : undefined;
  // Rows of the table may be larger: the page ends before them.
  const isOver = ({ seq }: { seq: number }): boolean => current?.get(seq) === null;
  const items = page.items.some(isOver) ? page.items.slice(0, page.items.findIndex(isOver)) : page.items;
  const last = items.at(-1);
  const pagination =
    items.length < page.items.length && last
      ? { cursor: encodeCursor([last.seq]), has_more: true }
      : page.pagination;
  return {
    rows: items.map((row) => ({
      seq: row.seq,
      url: row.url,
      state: row.state,
      reason: row.reason,
      data: JSON.parse(row.answer) as unknown,
      fetched_at: row.fetchedAt,
      ...(current === undefined ? {} : { current: current.get(row.seq) ?? null }),
    })),
    pagination,
  };
};

/** Moves rows of a batch that are held back to another state. @returns how many */
async function moveRows(
  ctx: Context,
  id: string,
  seqs: readonly number[] | undefined,
  state: 'releasing' | 'discarded',
): Promise<number> {
  const { no } = await findRun(ctx, 'batch', id);
  const { sql } = ctx.services.db;
  const { count } = await sql`
    UPDATE gleaner.quarantined_rows SET state = ${state}
    WHERE run_no = ${no} AND state IN ('suspect', 'held')
      ${seqs === undefined ? sql`` : sql`AND seq = ANY (${`{${seqs.join(',')}}`}::text::int[])`}`;
  return count;
}

/** The scheduler writes them. */
export const releaseQuarantinedRows: Perform<'releaseQuarantinedRows'> = async (ctx, { params, body }) => {
  return { releasing: await moveRows(ctx, params.id, body.seqs, 'releasing') };
};

export const discardQuarantinedRows: Perform<'discardQuarantinedRows'> = async (ctx, { params, body }) => {
  return { discarded: await moveRows(ctx, params.id, body.seqs, 'discarded') };
};
