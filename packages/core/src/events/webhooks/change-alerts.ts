import { AppError, type AlertTo, type ChangeFilter } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { lockAccount, requireRoom } from '../../accounts/account-record.ts';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { slugColumn } from '../../platform/slugs/slug-column.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { endPending } from './change-webhooks.ts';
import { UNPAUSED } from './claim-deliveries.ts';
import { addDelivery, sendTest } from './send-test.ts';
import { webhookPlace } from './webhook-secret.ts';
import { readAlert, toAlertRecord } from './alert-record.ts';
import { countQuestion } from './confirm-alert.ts';

const { webhooks } = tables;

/** The most alerts of an account. Every event creates a row for each. */
const MAX_ALERTS = 50;

/** What people may see of the address. */
function shownOf(to: AlertTo): string {
  if (to.type === 'email') return to.address.replace(/^(.).*@/, '$1…@');
  const { protocol, host } = new URL(to.url);
  return `${protocol}//${host}/…`;
}

/** The columns of where an alert's messages go. @throws AppError temporarily_unavailable without a mail server */
function columnsOf({ services: { config } }: Context, id: string, to: AlertTo) {
  if (to.type === 'email' && config.smtpUrl === undefined)
    throw new AppError('temporarily_unavailable', {
      detail: 'this installation sends no e-mail: GLEANER_SMTP_URL is not set',
      retryable: false,
    });
  const place = { secretKey: config.secretKey, place: webhookPlace(id) };
  return {
    channel: to.type,
    url: shownOf(to),
    secret: seal(JSON.stringify(to), place),
    confirmed: to.type !== 'email',
  };
}

/** The columns of what is left out. */
function filterColumns({ failed, ...changes }: ChangeFilter & { failed: boolean }) {
  return { onlyFailed: failed, changes };
}

/** Asks the owner of an e-mail address, in the transaction that stores it. @throws AppError plan_limit_exceeded */
async function ask(tx: Executor, { accountId }: Context, id: string, to: AlertTo): Promise<void> {
  if (to.type !== 'email') return;
  await countQuestion(tx, accountId, to.address);
  const event = 'alert.confirm';
  await addDelivery(tx, { id, accountId, url: shownOf(to) }, { event, payload: { type: event } });
}

export const createAlert: Perform<'createAlert'> = async (ctx, { body }) => {
  const { accountId } = ctx;
  const id = createId('alert');
  const { name, to, filter } = body;
  const columns = columnsOf(ctx, id, to);
  return write(ctx, async (tx) => {
    await lockAccount(tx, accountId);
    const alive = and(
      eq(webhooks.accountId, accountId),
      isNull(webhooks.deletedAt),
      isNotNull(webhooks.channel),
    );
    requireRoom(await tx.$count(webhooks, alive), MAX_ALERTS, `an account has at most ${MAX_ALERTS} alerts`);
    const events = [...new Set(body.events)];
    const [row] = await tx
      .insert(webhooks)
      .values({
        id,
        accountId,
        ...slugColumn(body),
        name,
        events,
        ...filterColumns(filter ?? { failed: false }),
        ...columns,
      })
      .returning();
    if (!row) throw new Error('the alert was not stored');
    await ask(tx, ctx, id, to);
    return toAlertRecord(row);
  });
};

export const updateAlert: Perform<'updateAlert'> = async (ctx, { params, body }) => {
  const { name, events, filter, to, enabled } = body;
  return write(ctx, async (tx) => {
    const { id } = await readAlert(tx, ctx.accountId, params.id);
    const [row] = await tx
      .update(webhooks)
      .set({
        updatedAt: sql`now()`,
        ...slugColumn(body),
        ...(to === undefined && enabled !== true ? {} : UNPAUSED),
        ...(to && columnsOf(ctx, id, to)),
        name,
        events: events && [...new Set(events)],
        ...(filter && filterColumns(filter)),
        ...(enabled === undefined
          ? {}
          : { isEnabled: enabled, disabledReason: enabled ? null : 'switched off by the account' }),
      })
      .where(eq(webhooks.id, id))
      .returning();
    if (!row) throw new AppError('not_found');
    // What waits was for the earlier address.
    if (enabled === false || to !== undefined) await endPending(tx, id);
    if (to !== undefined) await ask(tx, ctx, id, to);
    return toAlertRecord(row);
  });
};

/** Deletes an alert; its deliveries are removed later, like those of webhooks. */
export const deleteAlert: Perform<'deleteAlert'> = async (ctx, { params }) => {
  return write(ctx, async (tx) => {
    const { id } = await readAlert(tx, ctx.accountId, params.id);
    await tx
      .update(webhooks)
      .set({ deletedAt: sql`now()`, isEnabled: false })
      .where(eq(webhooks.id, id));
  });
};

export const testAlert: Perform<'testAlert'> = async (ctx, { params }) => {
  return write(ctx, async (tx) => sendTest(tx, await readAlert(tx, ctx.accountId, params.id)));
};
