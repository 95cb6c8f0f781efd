import { AppError, type updateWebhook as operation } from '@gleaner/contracts';
import { tables, type Executor, type Transaction } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { lockAccount, requireRoom } from '../../accounts/account-record.ts';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { UNPAUSED } from './claim-deliveries.ts';
import {
  presentOf,
  readWebhook,
  toWebhookRecord,
  type WebhookKind,
  type WebhookRow,
} from './webhook-record.ts';
import { createId } from '../../platform/ids.ts';
import { slugColumn } from '../../platform/slugs/slug-column.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { createSecret, webhookPlace } from './webhook-secret.ts';

const { outbox, webhooks } = tables;

/** The most webhooks of an account, and the most alerts. Every event creates a row for each. */
const MOST = 50;

type NewWebhook = typeof webhooks.$inferInsert;
type Change = Pick<z.output<typeof operation.body>, 'slug' | 'events' | 'enabled'>;

/** Stores a webhook or an alert. @throws AppError plan_limit_exceeded */
export async function insertWebhook(
  tx: Transaction,
  kind: WebhookKind,
  values: NewWebhook,
): Promise<WebhookRow> {
  await lockAccount(tx, values.accountId);
  const count = await tx.$count(webhooks, presentOf(values.accountId, kind));
  requireRoom(count, MOST, `an account has at most ${MOST} ${kind}s`);
  const [row] = await tx
    .insert(webhooks)
    .values({ ...values, events: [...new Set(values.events)] })
    .returning();
  if (!row) throw new Error(`the ${kind} was not stored`);
  return row;
}

/**
 * Changes a webhook or an alert.
 * @param own the columns of its kind
 * @param isMoved whether its messages go to another address
 */
export async function changeWebhook(
  tx: Executor,
  id: string,
  body: Change,
  own: Partial<NewWebhook>,
  isMoved: boolean,
): Promise<WebhookRow> {
  const { events, enabled } = body;
  const [row] = await tx
    .update(webhooks)
    .set({
      updatedAt: sql`now()`,
      ...slugColumn(body),
      // The account repaired it, so it is tried at once.
      ...(isMoved || enabled === true ? UNPAUSED : {}),
      events: events && [...new Set(events)],
      ...(enabled === undefined
        ? {}
        : { isEnabled: enabled, disabledReason: enabled ? null : 'switched off by the account' }),
      ...own,
    })
    .where(eq(webhooks.id, id))
    .returning();
  if (!row) throw new AppError('not_found');
  return row;
}

/** Creates a webhook. Only this response shows the secret. */
export const createWebhook: Perform<'createWebhook'> = async (ctx, { body }) => {
  const { accountId } = ctx;
  const id = createId('webhook');
  const secret = createSecret();
  const sealed = seal(secret, { secretKey: ctx.services.config.secretKey, place: webhookPlace(id) });
  const { url, events, filter: changes } = body;
  return write(ctx, async (tx) => {
    const columns = { ...slugColumn(body), url, events, changes, secret: sealed };
    const row = await insertWebhook(tx, 'webhook', { id, accountId, ...columns });
    return { ...toWebhookRecord(row), secret };
  });
};

/**
 * Ends the waiting deliveries of a disabled webhook. A delivery that waits for a replay was delivered before and keeps
 * that state.
 */
export async function endPending(db: Executor, webhookId: string): Promise<void> {
  await db
    .update(outbox)
    .set({
      state: sql`CASE WHEN ${outbox.deliveredAt} IS NULL THEN 'failed' ELSE 'delivered' END`,
      nextAttemptAt: null,
      error: sql`CASE WHEN ${outbox.deliveredAt} IS NULL THEN 'the webhook was switched off' END`,
    })
    .where(and(eq(outbox.webhookId, webhookId), eq(outbox.state, 'pending')));
}

/** Sends waiting deliveries to the new URL. */
export const updateWebhook: Perform<'updateWebhook'> = async (ctx, { params, body }) => {
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, ctx.accountId, params.id, 'webhook');
    const { url, filter: changes, enabled } = body;
    const row = await changeWebhook(tx, id, body, { url, changes }, url !== undefined);
    if (enabled === false) await endPending(tx, id);
    else if (url !== undefined)
      await tx
        .update(outbox)
        .set({ url })
        .where(and(eq(outbox.webhookId, id), eq(outbox.state, 'pending')));
    return toWebhookRecord(row);
  });
};

/** Its deliveries are removed later, in batches: an event that is being written never waits for that. */
function remove(ctx: Context, ownId: string, kind: WebhookKind): Promise<void> {
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, ctx.accountId, ownId, kind);
    await tx
      .update(webhooks)
      .set({ deletedAt: sql`now()`, isEnabled: false })
      .where(eq(webhooks.id, id));
  });
}

export const deleteWebhook: Perform<'deleteWebhook'> = (ctx, { params }) => remove(ctx, params.id, 'webhook');
export const deleteAlert: Perform<'deleteAlert'> = (ctx, { params }) => remove(ctx, params.id, 'alert');
