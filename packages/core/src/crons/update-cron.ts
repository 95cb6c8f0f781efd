import type { CronRecord, OperationInput, updateCron as operation } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts';
import { ENGINE, tables, type Transaction } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import type { WithSecretKey } from '../parsers/parser-record.ts';
import { holdUsed } from '../platform/references/hold-used.ts';
import { write, type Context } from '../platform/context.ts';
import { mustStoreInClear } from '../platform/secrets/earlier-versions.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readNext, requireInterval } from './check-cron.ts';
import { readCron, readWork, toWholeRecord, toWorkColumns, type CronRow } from './cron-record.ts';
import { cronRun, type CronWork } from './cron-submission.ts';

const { crons } = tables;
type Body = OperationInput<typeof operation>['body'];
/** The most attempts, because a concurrent change between check and write requires a new check. */
const MAX_ATTEMPTS = 5;

/** @throws AppError invalid_request: both url and inputs */
function changeWork(services: WithSecretKey, row: CronRow, body: Body): CronWork {
  const work = readWork(services, row);
  const inputs =
    body.url === undefined && body.inputs === undefined
      ? { url: work.url, inputs: work.inputs }
      : { url: body.url ?? null, inputs: body.inputs ?? null };
  const target = body.target ?? work.target;
  // The stages of a workflow have their own.
  const kept = target.type === 'workflow' ? { scrapeConfig: {}, sink: null } : work;
  return {
    ...inputs,
    target,
    name: body.name ?? work.name,
    scrapeConfig: body.scrape_config ?? kept.scrapeConfig,
    sink: body.sink ?? kept.sink,
    maxCredits: body.max_credits ?? work.maxCredits,
    keepPages: body.keep_pages === undefined ? work.keepPages : body.keep_pages,
  };
}

const WORK_FIELDS = ['target', 'scrape_config', 'sink', 'url', 'inputs', 'max_credits'] as const;

/** The next due time; computed from now when the cron was enabled or its schedule changed. */
async function changeNext(tx: Transaction, row: CronRow, body: Body): Promise<string | null> {
  const isEnabled = body.enabled ?? row.isEnabled;
  if (!isEnabled) return null;
  const schedule = body.schedule ?? row.schedule;
  const timezone = body.timezone ?? row.timezone;
  const isSame = schedule === row.schedule && timezone === row.timezone;
  return isSame && row.nextFireAt !== null ? row.nextFireAt : readNext(tx, schedule, timezone);
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
  if (body.enabled === false) {
    await tx.execute(
      sql`SELECT ${sql.identifier(ENGINE)}.drop_queued_firings(${row.id}, 'the cron was paused')`,
    );
  }
  const [changed] = await tx
    .update(crons)
    .set({
      ...columns,
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
export async function updateCron(
  ctx: Context<RunServices>,
  { params, body }: OperationInput<typeof operation>,
): Promise<CronRecord> {
  const { accountId } = ctx;
  const { orm } = ctx.services.db;
  const isWorkChanged = WORK_FIELDS.some((field) => body[field] !== undefined);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await readCron(orm, accountId, params.id);
    const work = changeWork(ctx.services, row, body);
    const inClear = await mustStoreInClear(ctx.services.db);
    const columns = toWorkColumns(ctx.services, { id: row.id, inClear }, work);
    if (body.schedule !== undefined) await requireInterval(orm, accountId, body.schedule);
    if (isWorkChanged) await cronRun(submitServicesOf(ctx), accountId, work).check();
    const record = await write(ctx, async (tx) => {
      const changed = await storeChange(tx, row, { columns, work, body });
      return changed && toWholeRecord(ctx.services, tx, changed);
    });
    if (record) return record;
  }
  throw new AppError('temporarily_unavailable', { detail: 'other requests are changing the cron' });
}
