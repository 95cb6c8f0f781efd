import type { Perform } from '../../platform/context.ts';
import { decodePlaces, encodeCursor } from '../../platform/lists/page.ts';
import { describeInput } from './batch-failures.ts';
import { createInputReader } from '../stages/input-values.ts';
import { findRun, refuseDeleted } from '../submission/find-run.ts';

/** Also of a batch whose results have expired, or are rows of a database. @throws AppError not_found */
export const getBatchInputs: Perform<'getBatchInputs'> = async (ctx, { params, query }) => {
  const run = await findRun(ctx, 'batch', params.id);
  refuseDeleted(run);
  const [after = -1] = query.cursor === undefined ? [] : decodePlaces('inputs', query.cursor, 1);
  const rows = await ctx.services.db.sql<{ seq: number; input: string; carried: string | null }[]>`
    SELECT seq, input, carried FROM gleaner.tasks WHERE run_no = ${run.no} AND seq > ${after}
    ORDER BY seq LIMIT ${query.limit + 1}`;
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const readValues = createInputReader(ctx.services);
  const inputs = [];
  for (const { input, carried } of page)
    inputs.push(describeInput(run, input, await readValues(run.no, carried)));
  return {
    inputs,
    ...(rows.length > query.limit && last ? { cursor: encodeCursor('inputs', [last.seq]) } : {}),
  };
};
