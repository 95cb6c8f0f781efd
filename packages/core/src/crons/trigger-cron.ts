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
import { asBusy } from '../runs/submission/create-run.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { readClock } from './check-cron.ts';
import { readCron, toFiringRecord } from './cron-record.ts';
import { fireGroup } from './firings/fire-group.ts';
import { prepareCron } from './firings/prepare-cron.ts';

/** How long a trigger waits for the account's lock. */
const WAIT_MS = 3_000;

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
}
