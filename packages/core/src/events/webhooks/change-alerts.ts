import { AppError, type AlertTo, type ChangeFilter } from '@gleaner/contracts';
import type { Executor } from '@gleaner/db';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { slugColumn } from '../../platform/slugs/slug-column.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { changeWebhook, endPending, insertWebhook } from './change-webhooks.ts';
import { addDelivery } from './send-test.ts';
import { webhookPlace } from './webhook-secret.ts';
import { toAlertRecord } from './alert-record.ts';
import { readWebhook } from './webhook-record.ts';
import { countQuestion } from './confirm-alert.ts';

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
  const { name, to, events, filter = { failed: false } } = body;
  const columns = { name, events, ...filterColumns(filter), ...columnsOf(ctx, id, to) };
  return write(ctx, async (tx) => {
    const row = await insertWebhook(tx, 'alert', { id, accountId, ...slugColumn(body), ...columns });
    await ask(tx, ctx, id, to);
    return toAlertRecord(row);
  });
};

export const updateAlert: Perform<'updateAlert'> = async (ctx, { params, body }) => {
  const { name, filter, to, enabled } = body;
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, ctx.accountId, params.id, 'alert');
    const own = { name, ...(to && columnsOf(ctx, id, to)), ...(filter && filterColumns(filter)) };
    const row = await changeWebhook(tx, id, body, own, to !== undefined);
    // What waits was for the earlier address.
    if (enabled === false || to !== undefined) await endPending(tx, id);
    if (to !== undefined) await ask(tx, ctx, id, to);
    return toAlertRecord(row);
  });
};
