import type { Sink } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { openRunSink } from '../runs/submission/run-sink.ts';
import type { RunServices } from '../runs/submission/run-services.ts';
import type { TaskTarget } from '../runs/tasks/task-spec.ts';
import type { SinkWriter } from '../storage/sinks/sink-writer.ts';
import { readRowsByKey, readTableRows, type TableRow } from './read-table-rows.ts';

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
  sink: Sink | null;
}

/** The values of the key's columns that writing the row would use; undefined when it can't be written. */
function keyOf(writer: SinkWriter, { url, answer }: HeldRow): string[] | undefined {
  const made = writer.toRows({ url, fetchedAt: performance.now(), data: JSON.parse(answer) as unknown });
  return 'error' in made ? undefined : made.rows[0]?.key.split('\0');
}

/**
 * The rows of the table that held rows would replace, by place in the batch: those with the same key. When the sink can
 * no longer be written, they are found by address. Undefined for a sink without a table or with several rows per page.
 */
export async function readCurrentRows(
  ctx: Context<RunServices>,
  runNo: string,
  held: readonly HeldRow[],
): Promise<Map<number, TableRow> | undefined> {
  const [run] = await ctx.services.db.sql<RunRow[]>`
    SELECT id, target, sink FROM gleaner.runs WHERE no = ${runNo} AND account_id = ${ctx.accountId}`;
  const sink = run?.sink;
  if (run === undefined || sink?.mode !== 'database' || sink.rows !== undefined) return undefined;
  const writer = await openRunSink(ctx.services, { ...run, accountId: ctx.accountId, sink }).catch(
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_request') return undefined;
      throw error;
    },
  );
  if (writer !== undefined) {
    const keys = held.flatMap((row) => {
      const key = keyOf(writer, row);
      return key === undefined ? [] : [[row.seq, key] as const];
    });
    return readRowsByKey(ctx, sink, writer.keyColumns(), new Map(keys));
  }
  const found = await readTableRows(
    ctx,
    sink,
    held.map(({ url }) => url),
  );
  return new Map(
    held.flatMap(({ seq, url }) => {
      const row = found.get(url);
      return row === undefined ? [] : [[seq, row] as const];
    }),
  );
}
