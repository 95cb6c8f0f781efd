import { AppError, cutText, type Sink } from '@gleaner/contracts';
import type { QuarantineState } from '@gleaner/contracts/values';
import { tables } from '@gleaner/db';
import { eq, getTableColumns, getTableName, sql } from 'drizzle-orm';
import type { Context, InputOf, Perform } from '../platform/context.ts';
import { invalid } from '../platform/invalid-request.ts';
import { decodePlaces, encodeCursor, listPage } from '../platform/lists/page.ts';
import { findRun, refuseDeleted } from '../runs/submission/find-run.ts';
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
  fetchedAt: string;
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
    const keys = held.flatMap(({ seq, url, answer, fetchedAt }) => {
      const data = JSON.parse(answer) as unknown;
      const made = writer.toRows({ url, fetchedAt, data, carried: valuesOf(seq) });
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

/** A run that may hold rows back. */
interface Holder {
  no: string;
  /** Its index in the run. */
  place: number;
  /** The name of the stage or route; null of batches and jobs. */
  stage: string | null;
}

/**
 * The batch or job, or the stages and routes of the workflow run.
 * @param stage only this one
 * @throws AppError not_found, invalid_request (stage)
 */
async function findHolders(ctx: Context, id: string, stage: string | undefined): Promise<readonly Holder[]> {
  const run = await findRun(ctx, null, id);
  refuseDeleted(run);
  const holders = await ctx.services.db.sql<Holder[]>`
    SELECT s.run_no::text AS no, s.stage AS place, s.name AS stage FROM gleaner.stages s
    WHERE s.root_no = ${run.no} AND s.role IS DISTINCT FROM 'source' ORDER BY s.stage`;
  if (holders.length === 0) holders.push({ no: run.no, place: 0, stage: null });
  if (stage === undefined) return holders;
  const found = holders.filter((one) => one.stage === stage);
  if (found.length === 0) throw invalid('stage', `the run has no stage named ${cutText(stage, 80)}`);
  return found;
}

/** The place at which a page begins, and the cursor within the rows of that run. */
function readStart(cursor: string | undefined): { from: number; within: string | undefined } {
  const [from = 0, seq = -1] = cursor === undefined ? [] : decodePlaces('held', cursor, 2);
  return { from, within: seq === -1 ? undefined : encodeCursor(getTableName(quarantinedRows), [seq]) };
}

/** The runs that hold rows in this state, from this place on. */
async function withRows(
  { services }: Context,
  holders: readonly Holder[],
  from: number,
  state: QuarantineState | undefined,
): Promise<readonly Holder[]> {
  const { sql } = services.db;
  const left = holders.filter(({ place }) => place >= from);
  const rows = await sql<{ no: string }[]>`
    SELECT n::text AS no FROM unnest(${left.map(({ no }) => no)}::bigint[]) n WHERE EXISTS (
      SELECT FROM gleaner.quarantined_rows q
      WHERE q.run_no = n ${state === undefined ? sql`` : sql`AND q.state = ${state}`})`;
  const found = new Set(rows.map(({ no }) => no));
  return left.filter(({ no }) => found.has(no));
}

/** Newest first; of workflow runs stage by stage, each page of one stage. */
export const listQuarantinedRows: Perform<'listQuarantinedRows', RunServices> = async (
  ctx,
  { params, query: { cursor, ...query } },
) => {
  const { from, within } = readStart(cursor);
  const all = await findHolders(ctx, params.id, query.stage);
  const [holder, next] = await withRows(ctx, all, from, query.state);
  if (holder === undefined) return { rows: [], pagination: { cursor: null, has_more: false } };
  const { no, place, stage } = holder;
  const size = sql<number>`octet_length(${quarantinedRows.answer})`;
  const page = await listPage(
    { ...query, cursor: place === from ? within : undefined },
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
  const isCut = items.length < page.items.length || page.pagination.has_more;
  const after = isCut && last ? [place, last.seq] : next && [next.place, -1];
  return {
    rows: items.map((row) => ({
      seq: row.seq,
      stage,
      url: row.url,
      state: row.state,
      reason: row.reason,
      data: JSON.parse(row.answer) as unknown,
      fetched_at: row.fetchedAt,
      ...(current === undefined ? {} : { current: current.get(row.seq) ?? null }),
    })),
    pagination: { cursor: after ? encodeCursor('held', after) : null, has_more: after !== undefined },
  };
};

/** Moves rows of a run that are held back to another state. @returns how many */
async function moveRows(
  ctx: Context,
  id: string,
  { stage, seqs }: InputOf<'releaseQuarantinedRows'>['body'],
  state: 'releasing' | 'discarded',
): Promise<number> {
  const holders = await findHolders(ctx, id, stage);
  if (seqs !== undefined && holders.length > 1)
    throw invalid('stage', 'is required with `seqs`: each stage of the run counts its inputs from 0');
  const { sql } = ctx.services.db;
  const { count } = await sql`
    UPDATE gleaner.quarantined_rows SET state = ${state}
    WHERE run_no = ANY (${holders.map(({ no }) => no)}::bigint[]) AND state IN ('suspect', 'held')
      ${seqs === undefined ? sql`` : sql`AND seq = ANY (${`{${seqs.join(',')}}`}::text::int[])`}`;
  return count;
}

/** The scheduler writes them. */
export const releaseQuarantinedRows: Perform<'releaseQuarantinedRows'> = async (ctx, { params, body }) => {
  return { releasing: await moveRows(ctx, params.id, body, 'releasing') };
};

export const discardQuarantinedRows: Perform<'discardQuarantinedRows'> = async (ctx, { params, body }) => {
  return { discarded: await moveRows(ctx, params.id, body, 'discarded') };
};
