import { invalid } from '../platform/invalid-request.ts';
import { AppError, leastIntervalSeconds, nextFiring } from '@gleaner/contracts';
import { tables, ENGINE, type Executor, type Transaction } from '@gleaner/db';
import { eq, sql, and } from 'drizzle-orm';
import { lockAccount, requireRoom } from '../accounts/account-record.ts';
import { holdUsed, readOwn } from '../platform/references/used.ts';
import { write, type Perform, type InputOf } from '../platform/context.ts';
import { mustStoreInClear } from '../platform/secrets/seal.ts';
import { slugColumn } from '../platform/slugs/slug-column.ts';
import { createId } from '../platform/ids.ts';
import { readDatabaseTime } from '../platform/process/read-database-time.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { toWholeRecord } from './cron-record.ts';
import { cronRun, type CronWork, toWorkColumns, readWork, type CronRow } from './cron-submission.ts';
import type { WithSecretKey } from '../parsers/read-parsers.ts';

const { accounts, crons } = tables;

/** @throws AppError plan_limit_exceeded (schedule): it fires more often than the account may */
async function requireInterval(db: Executor, accountId: string, schedule: string): Promise<void> {
  const [account] = await db
    .select({ least: accounts.cronMinIntervalSeconds })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const least = account?.least ?? 0;
  const seconds = leastIntervalSeconds(schedule, least);
  if (seconds >= least) return;
  throw new AppError('plan_limit_exceeded', {
    field: 'schedule',
    detail: `two firings are only ${seconds} s apart; the account's minimum is ${least} s`,
    hint: 'Fire less often, or ask the operator for a smaller cron_min_interval_seconds.',
    retryable: false,
  });
}

/** When a cron that is enabled now fires first. @throws AppError invalid_request (schedule) */
async function readNext(db: Executor, schedule: string, timezone: string): Promise<string> {
  const next = nextFiring(schedule, timezone, Date.parse(await readDatabaseTime(db)));
  if (next === null) throw invalid('schedule', 'never fires');
  return new Date(next).toISOString();
}

const DEFAULT_PAUSE_AFTER = 10;

/** Stores a cron after checking that it could fire now; or performs a dry run of one firing. */
export const createCron: Perform<'createCron', RunServices> = async (ctx, { body }) => {
  const { accountId } = ctx;
  const { orm } = ctx.services.db;
  const { schedule, timezone = 'UTC', enabled = true } = body;
  const work: CronWork = {
    name: body.name,
    target: body.target,
    scrapeConfig: body.scrape_config ?? {},
    sink: body.sink ?? null,
    url: body.url ?? null,
    inputs: body.inputs ?? null,
    source: body.source ?? null,
    since: body.since ?? null,
    maxCredits: body.max_credits ?? null,
    keepPages: body.keep_pages ?? null,
    carry: body.carry ?? null,
    keyId: ctx.keyId,
  };
  await requireInterval(orm, accountId, schedule);
  const services = submitServicesOf(ctx);
  const run = cronRun(services, accountId, { work, cron: null });
  if (body.dry_run) return run.dryRun();
  await run.check();
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    const { cronLimit: most } = await lockAccount(tx, accountId);
    requireRoom(
      await tx.$count(crons, eq(crons.accountId, accountId)),
      most,
      `the account has reached its limit of ${most} crons`,
      'Delete one, or ask the operator for a larger cron_limit.',
    );
    await holdUsed(tx, accountId, work);
    const id = createId('cron');
    const [row] = await tx
      .insert(crons)
      .values({
        id,
        accountId,
        ...slugColumn(body),
        ...toWorkColumns(ctx.services, { id, inClear }, work),
        description: body.description,
        inputCount: work.inputs?.length ?? 1,
        schedule,
        timezone,
        isEnabled: enabled,
        overlap: body.overlap ?? 'skip',
        catchupSeconds: body.catchup_seconds ?? null,
        pauseAfterFailures: body.pause_after_failures ?? DEFAULT_PAUSE_AFTER,
        nextFireAt: enabled ? await readNext(tx, schedule, timezone) : null,
      })
      .returning();
    if (!row) throw new Error('the cron was not stored');
    return toWholeRecord(ctx.services, tx, row);
  });
};

type Body = InputOf<'updateCron'>['body'];
/** The most attempts, because a concurrent change between check and write requires a new check. */
const MAX_ATTEMPTS = 5;

function changeWork(services: WithSecretKey, row: CronRow, body: Body): CronWork {
  const work = readWork(services, row);
  const inputs =
    body.url === undefined && body.inputs === undefined && body.source === undefined
      ? { url: work.url, inputs: work.inputs, source: work.source }
      : { url: body.url ?? null, inputs: body.inputs ?? null, source: body.source ?? null };
  // It is about a source alone.
  const since = inputs.source === null && body.since === undefined ? null : work.since;
  const target = body.target ?? work.target;
  // The stages of a workflow have their own.
  const kept = target.type === 'workflow' ? { scrapeConfig: {}, sink: null } : work;
  return {
    ...inputs,
    since: body.since === undefined ? since : body.since,
    target,
    name: body.name ?? work.name,
    scrapeConfig: body.scrape_config ?? kept.scrapeConfig,
    sink: body.sink ?? kept.sink,
    maxCredits: body.max_credits === undefined ? work.maxCredits : body.max_credits,
    keepPages: body.keep_pages === undefined ? work.keepPages : body.keep_pages,
    carry: body.carry === undefined ? work.carry : body.carry,
    keyId: work.keyId,
  };
}

const WORK_FIELDS = [
  'target',
  'scrape_config',
  'sink',
  'url',
  'inputs',
  'source',
  'since',
  'max_credits',
  'carry',
] as const;

/** The next due time; computed from now when the cron was enabled or its schedule changed. */
async function changeNext(tx: Transaction, row: CronRow, body: Body): Promise<string | null> {
  const isEnabled = body.enabled ?? row.isEnabled;
  if (!isEnabled) return null;
  const schedule = body.schedule ?? row.schedule;
  const timezone = body.timezone ?? row.timezone;
  const isSame = schedule === row.schedule && timezone === row.timezone;
  return isSame && row.nextFireAt !== null ? row.nextFireAt : readNext(tx, schedule, timezone);
}

/** Nothing counts as taken under this number any more. There may be a million entries, so they are removed later. */
async function forgetCron(tx: Transaction, no: number): Promise<void> {
  await tx.execute(sql`
    INSERT INTO gleaner.unforgotten_runs (run_no, cron_no) VALUES (${-no}, ${no}) ON CONFLICT DO NOTHING`);
}

/** @returns undefined when the cron changed after `row` was read */
async function storeChange(
  tx: Transaction,
  row: CronRow,
  { columns, work, body }: { columns: ReturnType<typeof toWorkColumns>; work: CronWork; body: Body },
): Promise<CronRow | undefined> {
  const isSame = and(eq(crons.id, row.id), eq(crons.definition, row.definition));
  // Locked first: its next due time may have moved.
  const [current] = await tx.select().from(crons).where(isSame).for('update');
  if (!current) return undefined;
  await holdUsed(tx, row.accountId, work);
  if (body.source !== undefined || body.since !== undefined) {
    await forgetCron(tx, row.no);
    await tx.execute(sql`UPDATE gleaner.crons SET no = DEFAULT WHERE id = ${row.id}`);
  }
  if (body.enabled === false)
    await tx.execute(
      sql`SELECT ${sql.identifier(ENGINE)}.drop_queued_firings(${row.id}, 'the cron was paused')`,
    );
  const [changed] = await tx
    .update(crons)
    .set({
      ...columns,
      ...slugColumn(body),
      inputCount: work.inputs?.length ?? 1,
      description: body.description ?? current.description,
      schedule: body.schedule ?? current.schedule,
      timezone: body.timezone ?? current.timezone,
      isEnabled: body.enabled ?? current.isEnabled,
      overlap: body.overlap ?? current.overlap,
      catchupSeconds: body.catchup_seconds === undefined ? current.catchupSeconds : body.catchup_seconds,
      pauseAfterFailures: body.pause_after_failures ?? current.pauseAfterFailures,
      nextFireAt: await changeNext(tx, current, body),
      ...(body.enabled === undefined ? {} : { pausedReason: null }),
      ...(body.enabled === true ? { failures: 0 } : {}),
      leasedUntil: null,
      definition: current.definition + 1,
      isMirrored: false,
      updatedAt: sql`now()`,
    })
    .where(eq(crons.id, row.id))
    .returning();
  return changed;
}

/** Checks the changed cron, then stores it. Running runs keep their configuration. */
export const updateCron: Perform<'updateCron', RunServices> = async (ctx, { params, body }) => {
  const { accountId } = ctx;
  const { orm } = ctx.services.db;
  const isWorkChanged = WORK_FIELDS.some((field) => body[field] !== undefined);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await readOwn(orm, crons, accountId, params.id);
    const work = { ...changeWork(ctx.services, row, body), keyId: ctx.keyId };
    const inClear = await mustStoreInClear(ctx.services.db);
    const columns = toWorkColumns(ctx.services, { id: row.id, inClear }, work);
    if (body.schedule !== undefined) await requireInterval(orm, accountId, body.schedule);
    if (isWorkChanged) await cronRun(submitServicesOf(ctx), accountId, { work, cron: row }).check();
    const record = await write(ctx, async (tx) => {
      const changed = await storeChange(tx, row, { columns, work, body });
      return changed && toWholeRecord(ctx.services, tx, changed);
    });
    if (record) return record;
  }
  throw new AppError('temporarily_unavailable', { detail: 'other requests are changing the cron' });
};

/** Deletes a cron. Its runs stay, and running ones continue. */
export const deleteCron: Perform<'deleteCron'> = async (ctx, { params }) => {
  await write(ctx, async (tx) => {
    const deleted = await tx
      .delete(crons)
      .where(and(eq(crons.id, params.id), eq(crons.accountId, ctx.accountId)))
      .returning({ no: crons.no });
    const [gone] = deleted;
    if (!gone) throw new AppError('not_found');
    await forgetCron(tx, gone.no);
  });
  // A failure is harmless: the next wake-up finds no cron and removes itself.
  await ctx.services.queue.removeWakeUps([params.id]).catch((error: unknown) => {
    ctx.log.warn(
      { err: error, cron: params.id },
      'the wake-up of a deleted cron could not be removed from the queue',
    );
  });
};
