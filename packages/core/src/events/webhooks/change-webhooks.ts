import {
  type deleteWebhook as deleteOperation,
  type updateWebhook as updateOperation,
  AppError,
} from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { write } from '../../platform/context.ts';
import { UNPAUSED } from './pause-webhook.ts';
import { readWebhook, toWebhookRecord } from './webhook-record.ts';
import type { Perform } from '../../platform/perform.ts';

const { outbox, webhooks } = tables;

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
export const updateWebhook: Perform<typeof updateOperation> = async (ctx, { params, body }) => {
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, { accountId: ctx.accountId, id: params.id });
    const { url, events, enabled } = body;
    const [row] = await tx
      .update(webhooks)
      .set({
        updatedAt: sql`now()`,
        // The account repaired it, so it is tried at once.
        ...(url === undefined && enabled !== true ? {} : UNPAUSED),
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
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
export const deleteWebhook: Perform<typeof deleteOperation> = async (ctx, { params }) => {
  return write(ctx, async (tx) => {
    const { id } = await readWebhook(tx, { accountId: ctx.accountId, id: params.id });
    await tx
      .update(webhooks)
      .set({ deletedAt: sql`now()`, isEnabled: false })
      .where(eq(webhooks.id, id));
  });
};
