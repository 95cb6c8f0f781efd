import type {
  discardQuarantinedRows as discardOperation,
  listQuarantinedRows as listOperation,
  releaseQuarantinedRows as releaseOperation,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, getTableColumns } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { listPage } from '../platform/lists/page.ts';
import { findRun } from '../runs/submission/find-run.ts';
import type { RunServices } from '../runs/submission/run-services.ts';
import { readCurrentRows } from './read-current.ts';
import type { TableRow } from './read-table-rows.ts';
import type { Perform } from '../platform/perform.ts';

const { quarantinedRows } = tables;

export const listQuarantinedRows: Perform<typeof listOperation, RunServices> = async (
  ctx,
  { params, query },
) => {
  const { no } = await findRun(ctx, 'batch', params.id);
  const { items, pagination } = await listPage(
    query,
    quarantinedRows.seq,
    [
      eq(quarantinedRows.runNo, BigInt(no)),
      query.state === undefined ? undefined : eq(quarantinedRows.state, query.state),
    ],
    ({ where, order, limit }) =>
      ctx.services.db.orm
        .select({ ...getTableColumns(quarantinedRows), id: quarantinedRows.seq })
        .from(quarantinedRows)
        .where(where)
        .orderBy(order)
        .limit(limit),
  );
  const current = query.with_current === true ? await readCurrentRows(ctx, no, items) : undefined;
  return {
    rows: items.map((row) => ({
      seq: row.seq,
      url: row.url,
      state: row.state,
      reason: row.reason,
      data: JSON.parse(row.answer) as unknown,
      fetched_at: row.fetchedAt,
      ...(current === undefined ? {} : { current: toCurrent(current.get(row.seq)) }),
    })),
    pagination,
  };
};

function toCurrent(row: TableRow | undefined) {
  return row === undefined ? null : { fetched_at: row.fetchedAt, data: row.values };
}

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
export const releaseQuarantinedRows: Perform<typeof releaseOperation> = async (ctx, { params, body }) => {
  return { releasing: await moveRows(ctx, params.id, body.seqs, 'releasing') };
};

export const discardQuarantinedRows: Perform<typeof discardOperation> = async (ctx, { params, body }) => {
  return { discarded: await moveRows(ctx, params.id, body.seqs, 'discarded') };
};
