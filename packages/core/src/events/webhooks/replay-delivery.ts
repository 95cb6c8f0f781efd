import {
  AppError,
  type replayDelivery as operation,
  type replayWebhookDelivery as ofOneOperation,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { write, type Context } from '../../platform/context.ts';
import { readWebhook, toDeliveryRecord } from './webhook-record.ts';
import type { Perform } from '../../platform/perform.ts';

const { outbox, webhookEvents, webhooks } = tables;

/**
 * Starts a new round of attempts with the same id and payload, at the webhook's current URL. The time of an earlier
 * delivery stays.
 */
function replay(ctx: Context, deliveryId: string, webhookId: string | undefined) {
  return write(ctx, async (tx) => {
    const ours = and(
      eq(outbox.id, deliveryId),
      eq(outbox.accountId, ctx.accountId),
      webhookId === undefined ? undefined : eq(outbox.webhookId, webhookId),
    );
    const [known] = await tx
      .select({ webhookId: outbox.webhookId, shared: webhookEvents.payload })
      .from(outbox)
      .leftJoin(webhookEvents, eq(webhookEvents.no, outbox.eventNo))
      .where(ours);
    if (!known) throw new AppError('not_found');
    const webhook =
      known.webhookId === null
        ? undefined
        : await readWebhook(tx, { accountId: ctx.accountId, id: known.webhookId });
    if (webhook?.isEnabled === false) {
      throw new AppError('invalid_request', {
        field: 'id',
        detail: `webhook ${webhook.id} is disabled`,
        hint: 'Enable it with PUT {"enabled": true} first.',
      });
    }
    // The webhook before its delivery, in the same order as other changes. A paused webhook is tried at once.
    if (webhook) await tx.update(webhooks).set({ resumesAt: null }).where(eq(webhooks.id, webhook.id));
    const [row] = await tx
      .update(outbox)
      .set({
        state: 'pending',
        tries: 0,
        roundAt: sql`now()`,
        nextAttemptAt: sql`now()`,
        error: null,
        ...(webhook ? { url: webhook.url } : {}),
      })
      .where(ours)
      .returning();
    if (!row) throw new AppError('not_found');
    return toDeliveryRecord({ ...row, shared: known.shared });
  });
}

export const replayDelivery: Perform<typeof operation> = (ctx, { params }) => {
  return replay(ctx, params.deliveryId, undefined);
};

export const replayWebhookDelivery: Perform<typeof ofOneOperation> = (ctx, { params }) => {
  return replay(ctx, params.deliveryId, params.id);
};
