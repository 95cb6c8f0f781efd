import {
  AppError,
  MAX_BACKFILL,
  nextFirings,
  type backfillCron as operation,
  toStorableJson,
} from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { write } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { readClock } from './check-cron.ts';
import { readCron } from './cron-record.ts';
import type { Perform } from '../platform/perform.ts';

/** @throws AppError invalid_request: `to` is in the future or before `from`, or there are too many firings between */
function listTimes(
  cron: { schedule: string; timezone: string },
  { from, to, now }: { from: number; to: number; now: number },
): number[] {
  if (to > now) throw new AppError('invalid_request', { field: 'to', detail: 'is in the future' });
  if (to < from) throw new AppError('invalid_request', { field: 'to', detail: 'is before from' });
  const times = nextFirings(cron.schedule, cron.timezone, from - 1, MAX_BACKFILL + 1).filter(
    (time) => time <= to,
  );
  if (times.length > MAX_BACKFILL) {
    throw new AppError('invalid_request', {
      field: 'from',
      detail: `from and to include more than ${MAX_BACKFILL} firings`,
    });
  }
  return times;
}

/**
 * Queues the firings between two times that have no run: missed, skipped and failed ones, and those before the cron
 * existed. The scheduler runs them one after another.
 */
export const backfillCron: Perform<typeof operation> = async (ctx, { params, body }) => {
  const { orm } = ctx.services.db;
  const cron = await readCron(orm, ctx.accountId, params.id);
  const range = { from: Date.parse(body.from), to: Date.parse(body.to), now: await readClock(orm) };
  const firings = listTimes(cron, range).map((time) => ({
    id: createId('firing'),
    at: new Date(time).toISOString(),
  }));
  return write(ctx, async (tx) => {
    const [row] = await tx.execute<{ queued: number }>(sql`
      SELECT ${sql.identifier(ENGINE)}.queue_backfill(${ctx.accountId}, ${cron.id}, ${toStorableJson(firings)}::text::jsonb) AS queued`);
    return { queued: row?.queued ?? 0 };
  });
};
