import { readOwn } from '../platform/references/used.ts';
import { invalid } from '../platform/invalid-request.ts';
import { AppError, MAX_BACKFILL, nextFirings, toStorableJson } from '@gleaner/contracts';
import { tables, ENGINE } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { write, type Perform } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { asBusy } from '../runs/submission/create-run.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readClock } from './change-crons.ts';
import { toFiringRecord } from './cron-record.ts';
import { fireGroup, prepareCron } from './firings/fire-group.ts';

/** How long a trigger waits for the account's lock. */
const WAIT_MS = 3_000;

/** Fires a cron now. @throws AppError not_found, and what refuses its run */
export const triggerCron: Perform<'triggerCron', RunServices> = async (ctx, { params }) => {
  const { accountId } = ctx;
  const services = submitServicesOf(ctx);
  const { orm } = ctx.services.db;
  const row = await readOwn(orm, tables.crons, accountId, params.id);
  const run = await prepareCron(services, row);
  if (run instanceof AppError) throw run;
  const at = new Date(await readClock(orm)).toISOString();
  const own = { cron: row.id, account: accountId, definition: row.definition };
  const firing = { id: createId('firing'), ...own, kind: 'trigger', cause: 'trigger', at } as const;
  let deliver = (): Promise<void> => Promise.resolve();
  const record = await write(ctx, async (tx) => {
    const wait = { ms: WAIT_MS, forCrons: true };
    const fired = await fireGroup(services, tx, { prepared: [{ firing, run }], wait });
    ({ deliver } = fired);
    const [decided] = fired.decided;
    // Deleted since it was read.
    if (!decided) throw new AppError('not_found');
    const [stored] = await tx.select().from(tables.cronFirings).where(eq(tables.cronFirings.id, decided.id));
    if (!stored) throw new Error('the firing was not stored');
    return toFiringRecord(stored);
  }).catch((cause: unknown) => {
    const error = asBusy(cause);
    // A refusal proves that the transaction was rolled back.
    if (error instanceof AppError) run.discard();
    throw error;
  });
  await deliver();
  return record;
};

/** @throws AppError invalid_request: `to` is in the future or before `from`, or there are too many firings between */
function listTimes(
  cron: { schedule: string; timezone: string },
  { from, to, now }: { from: number; to: number; now: number },
): number[] {
  if (to > now) throw invalid('to', 'is in the future');
  if (to < from) throw invalid('to', 'is before from');
  const times = nextFirings(cron.schedule, cron.timezone, from - 1, MAX_BACKFILL + 1).filter(
    (time) => time <= to,
  );
  if (times.length > MAX_BACKFILL)
    throw invalid('from', `from and to include more than ${MAX_BACKFILL} firings`);
  return times;
}

/**
 * Queues the firings between two times that have no run: missed, skipped and failed ones, and those before the cron
 * existed. The scheduler runs them one after another.
 */
export const backfillCron: Perform<'backfillCron'> = async (ctx, { params, body }) => {
  const { orm } = ctx.services.db;
  const cron = await readOwn(orm, tables.crons, ctx.accountId, params.id);
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
