import { readOwn } from '../platform/references/used.ts';
import { invalid } from '../platform/invalid-request.ts';
import { AppError, MAX_BACKFILL, nextFirings, toStorableJson, type FiringOutcome } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { write, type Context, type Perform } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { asBusy } from '../runs/submission/create-run.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readDatabaseTime } from '../platform/process/read-database-time.ts';
import { toFiringRecord } from './cron-record.ts';
import { cronRun, readWork, type CronRow } from './cron-submission.ts';
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
  const at = new Date(await readDatabaseTime(orm)).toISOString();
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

const MINUTE_MS = 60_000;

/**
 * @throws AppError invalid_request: `from` is before the cron was made, `to` in the future or before `from`, or there
 * are too many firings between
 */
function listTimes(
  cron: Pick<CronRow, 'schedule' | 'timezone' | 'createdAt'>,
  { from, to, now }: { from: number; to: number; now: number },
): number[] {
  const made = Date.parse(cron.createdAt);
  // Forms give whole minutes.
  if (from < Math.floor(made / MINUTE_MS) * MINUTE_MS)
    throw invalid('from', `the cron was made at ${cron.createdAt}`, `Give from ${cron.createdAt}, or later.`);
  if (to > now) throw invalid('to', 'is in the future');
  if (to < from) throw invalid('to', 'is before from');
  const times = nextFirings(cron.schedule, cron.timezone, Math.max(from, made) - 1, MAX_BACKFILL + 1).filter(
    (time) => time <= to,
  );
  if (times.length > MAX_BACKFILL)
    throw invalid('from', `from and to include more than ${MAX_BACKFILL} firings`);
  return times;
}

/** Outcomes of firings that a backfill leaves as they are. */
const RAN = ['started', 'queued'] as const satisfies readonly FiringOutcome[];

/** What a backfill would queue, and what its runs would cost. */
async function dryRunBackfill(ctx: Context<RunServices>, cron: CronRow, times: readonly number[]) {
  const { cronFirings } = tables;
  const due = cron.nextFireAt === null ? Infinity : Date.parse(cron.nextFireAt);
  const ran = await ctx.services.db.orm
    .select({ at: cronFirings.scheduledAt })
    .from(cronFirings)
    .where(
      and(
        eq(cronFirings.cronId, cron.id),
        ne(cronFirings.cause, 'trigger'),
        inArray(cronFirings.outcome, RAN),
        inArray(
          cronFirings.scheduledAt,
          times.map((time) => new Date(time).toISOString()),
        ),
      ),
    );
  const known = new Set(ran.map(({ at }) => Date.parse(at)));
  const firings = times.filter((time) => time < due && !known.has(time)).length;
  const services = submitServicesOf(ctx);
  const work = readWork(services, cron);
  const one = await cronRun(services, ctx.accountId, { work, cron }).dryRun();
  const { least, expected, most } = one.credits;
  return {
    dry_run: true as const,
    firings,
    inputs: firings * one.inputs,
    credits: { least: firings * least, expected: firings * expected, most: firings * most },
  };
}

/**
 * Queues the firings between two times that have no run: missed, skipped and failed ones, and none that the schedule will still
 * fire. The scheduler runs them one after another.
 */
export const backfillCron: Perform<'backfillCron', RunServices> = async (ctx, { params, body }) => {
  const { orm } = ctx.services.db;
  const cron = await readOwn(orm, tables.crons, ctx.accountId, params.id);
  const range = {
    from: Date.parse(body.from),
    to: Date.parse(body.to),
    now: Date.parse(await readDatabaseTime(orm)),
  };
  const times = listTimes(cron, range);
  if (body.dry_run === true) return dryRunBackfill(ctx, cron, times);
  const firings = times.map((time) => ({
    id: createId('firing'),
    at: new Date(time).toISOString(),
  }));
  return write(ctx, async (tx) => {
    await tx.execute(sql`SELECT 1 FROM gleaner.crons WHERE id = ${cron.id} FOR UPDATE`);
    const { count } = await tx.execute(sql`
      INSERT INTO gleaner.cron_firings AS known (id, cron_id, account_id, scheduled_at, outcome, cause)
      SELECT f.id, c.id, c.account_id, f.at, 'queued', 'backfill' FROM gleaner.crons c
      CROSS JOIN jsonb_to_recordset(${toStorableJson(firings)}::text::jsonb) f (id text, at timestamptz)
      WHERE c.id = ${cron.id} AND (c.next_fire_at IS NULL OR f.at < c.next_fire_at)
      ON CONFLICT (cron_id, scheduled_at) WHERE cause <> 'trigger' DO UPDATE
        SET outcome = 'queued', cause = 'backfill', reason = NULL, fired_at = NULL
        WHERE known.outcome IN ('missed', 'skipped', 'failed')`);
    return { queued: count };
  });
};
