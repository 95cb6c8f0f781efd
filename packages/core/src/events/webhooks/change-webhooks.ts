import { AppError } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, sql, isNull } from 'drizzle-orm';
import { lockAccount, requireRoom } from '../../accounts/account-record.ts';
import { write, type Perform } from '../../platform/context.ts';
import { UNPAUSED } from './claim-deliveries.ts';
import { readWebhook, toWebhookRecord } from './webhook-record.ts';
import { createId } from '../../platform/ids.ts';
import { slugColumn } from '../../platform/slugs/slug-column.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { createSecret, webhookPlace } from './webhook-secret.ts';

const { outbox, webhooks } = tables;

/** The most webhooks of an account. Every event creates a row for each. */
const MAX_WEBHOOKS = 50;

/** Creates a webhook. Only this response shows the secret. */
export const createWebhook: Perform<'createWebhook'> = async (ctx, { body }) => {
  const id = createId('webhook');
  const secret = createSecret();
  const { secretKey } = ctx.services.config;
  const sealed = seal(secret, { secretKey, place: webhookPlace(id) });
  return write(ctx, async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const alive = and(
      eq(webhooks.accountId, ctx.accountId),
      isNull(webhooks.deletedAt),
      isNull(webhooks.channel),
    );
    const known = await tx.$count(webhooks, alive);
    requireRoom(known, MAX_WEBHOOKS, `an account has at most ${MAX_WEBHOOKS} webhooks`);
    const [row] = await tx
      .insert(webhooks)
      .values({
        id,
        accountId: ctx.accountId,
        ...slugColumn(body),
        url: body.url,
        events: [...new Set(body.events)],
        changes: body.filter,
        secret: sealed,
      })
      .returning();
    if (!row) throw new Error('the webhook was not stored');
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
    const { id } = await readWebhook(tx, ctx.accountId, params.id);
    const { url, events, filter, enabled } = body;
    const [row] = await tx
      .update(webhooks)
      .set({
        updatedAt: sql`now()`,
        ...slugColumn(body),
        // The account repaired it, so it is tried at once.
        ...(url === undefined && enabled !== true ? {} : UNPAUSED),
        url,
        events: events && [...new Set(events)],
        changes: filter,
        ...(enabled === undefined
          ? {}
          : { isEnabled: enabled, disabledReason: enabled ? null : 'switched off by the account' }),
      })
      .where(eq(webhooks.id, id))
      .returning();
    if (!row) throw new AppError('not_found');
    if (enabled === false) await endPending(tx, id);
    else if (url !== undefined)
      await tx
        .update(outbox)
        .set({ url })
        .where(and(eq(outbox.webhookId, id), eq(outbox.state, 'pending')));
    return toWebhookRecord(row);
  });
};

/** Deletes a webhook. Its deliveries are removed later, in batches: an event that is being written never waits for that. */
export const deleteWebhook: Perform<'deleteWebhook'> = async (ctx, { params }) => {
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, ctx.accountId, params.id);
    await tx
      .update(webhooks)
      .set({ deletedAt: sql`now()`, isEnabled: false })
      .where(eq(webhooks.id, id));
  });
};
