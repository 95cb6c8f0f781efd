import {
  AppError,
  type FiringRecord,
  type OperationInput,
  type triggerCron as operation,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { write, type Context } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readClock } from './check-cron.ts';
import { readCron, toFiringRecord } from './cron-record.ts';
import { prepareCron } from './firings/fire-crons.ts';
import { discardUnused, fireTogether, type PreparedFiring } from './firings/fire-together.ts';

/** Fires a cron now. @throws AppError not_found, and what refuses its run */
export async function triggerCron(
  ctx: Context<RunServices>,
  { params }: OperationInput<typeof operation>,
): Promise<FiringRecord> {
  const { accountId } = ctx;
  const services = submitServicesOf(ctx);
  const { orm } = ctx.services.db;
  const row = await readCron(orm, accountId, params.id);
  const run = await prepareCron(services, row);
  if (run instanceof AppError) throw run;
  const at = new Date(await readClock(orm)).toISOString();
  const firing = { id: createId('firing'), cron: row.id, kind: 'trigger', cause: 'trigger', at } as const;
  const prepared: PreparedFiring[] = [{ firing, run }];
  try {
    const { record, deliver } = await triggerPrepared(ctx, prepared);
    await deliver();
    return record;
  } catch (error) {
    if (error instanceof AppError) discardUnused(prepared);
    throw error;
  }
}

async function triggerPrepared(ctx: Context<RunServices>, prepared: readonly PreparedFiring[]) {
  const { accountId } = ctx;
  let deliver = (): Promise<void> => Promise.resolve();
  const record = await write(ctx, async (tx) => {
    const fired = await fireTogether(submitServicesOf(ctx), tx, { accountId, prepared });
    ({ deliver } = fired);
    const [decided] = fired.decided;
    // Deleted since it was read.
    if (!decided) throw new AppError('not_found');
    const [stored] = await tx.select().from(tables.cronFirings).where(eq(tables.cronFirings.id, decided.id));
    if (!stored) throw new Error('the firing was not stored');
    return toFiringRecord(stored);
  });
  return { record, deliver };
}
