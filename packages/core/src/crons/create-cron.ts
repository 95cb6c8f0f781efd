import { AppError, type createCron as operation } from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { holdUsed } from '../platform/references/hold-used.ts';
import { write } from '../platform/context.ts';
import { mustStoreInClear } from '../platform/secrets/earlier-versions.ts';
import { createId } from '../platform/ids.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readNext, requireInterval } from './check-cron.ts';
import { toWholeRecord, toWorkColumns } from './cron-record.ts';
import { cronRun, type CronWork } from './cron-submission.ts';
import type { Perform } from '../platform/perform.ts';

const { accounts, crons } = tables;
const DEFAULT_PAUSE_AFTER = 10;

/** Locks the account, so that concurrent creations respect the limit. @throws AppError plan_limit_exceeded */
async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  const [account] = await tx
    .select({ limit: accounts.cronLimit })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  const limit = account?.limit ?? 0;
  if ((await tx.$count(crons, eq(crons.accountId, accountId))) < limit) return;
  throw new AppError('plan_limit_exceeded', {
    detail: `the account has reached its limit of ${limit} crons`,
    hint: 'Delete one, or ask the operator for a larger cron_limit.',
    retryable: false,
  });
}

/** Stores a cron after checking that it could fire now; or performs a dry run of one firing. */
export const createCron: Perform<typeof operation, RunServices> = async (ctx, { body }) => {
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
    maxCredits: body.max_credits ?? null,
    keepPages: body.keep_pages ?? null,
  };
  await requireInterval(orm, accountId, schedule);
  const services = submitServicesOf(ctx);
  const run = cronRun(services, accountId, work);
  if (body.dry_run) return run.dryRun();
  await run.check();
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    await requireRoom(tx, accountId);
    await holdUsed(tx, accountId, work);
    const id = createId('cron');
    const [row] = await tx
      .insert(crons)
      .values({
        id,
        accountId,
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
