import { readOwn } from '../../platform/references/used.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { AppError, type DeliveryState, type ListQuery } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, getTableColumns, sql, and, type SQL } from 'drizzle-orm';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';
import { sendTest } from './send-test.ts';
import { readWebhook, toDeliveryRecord, type WebhookKind } from './webhook-record.ts';

const { outbox, webhookEvents, webhooks } = tables;

type DeliveryQuery = ListQuery & { status?: DeliveryState | undefined };

/** Deliveries of the account that pass the filters. */
async function readDeliveries(ctx: Context, query: DeliveryQuery, filter: SQL | undefined) {
  const { items, pagination } = await listPage(
    query,
    outbox.id,
    [
      eq(outbox.accountId, ctx.accountId),
      sql`NOT EXISTS (SELECT 1 FROM gleaner.webhooks w WHERE w.id = ${outbox.webhookId} AND w.deleted_at IS NOT NULL)`,
      query.status === undefined ? undefined : eq(outbox.state, query.status),
      filter,
    ],
    ctx.services.db.orm
      .select({ ...getTableColumns(outbox), shared: webhookEvents.payload })
      .from(outbox)
      .leftJoin(webhookEvents, eq(webhookEvents.no, outbox.eventNo)),
  );
  return { deliveries: items.map(toDeliveryRecord), pagination };
}

export const listDeliveries: Perform<'listDeliveries'> = async (ctx, { query }) => {
  return readDeliveries(ctx, query, query.run === undefined ? undefined : eq(outbox.runId, query.run));
};

async function readDeliveriesOf(ctx: Context, ownId: string, query: DeliveryQuery, kind: WebhookKind) {
  const { id } = await readWebhook(ctx.services.db.orm, ctx.accountId, ownId, kind);
  return readDeliveries(ctx, query, eq(outbox.webhookId, id));
}

export const listWebhookDeliveries: Perform<'listWebhookDeliveries'> = (ctx, { params, query }) => {
  return readDeliveriesOf(ctx, params.id, query, 'webhook');
};

export const listAlertDeliveries: Perform<'listAlertDeliveries'> = (ctx, { params, query }) => {
  return readDeliveriesOf(ctx, params.id, query, 'alert');
};

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
      known.webhookId === null ? undefined : await readOwn(tx, webhooks, ctx.accountId, known.webhookId);
    if (webhook?.isEnabled === false)
      throw invalid(
        'id',
        `webhook ${webhook.id} is disabled`,
        'Enable it with PUT /v1/webhooks/{id} {"enabled": true} first.',
      );
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

export const testWebhook: Perform<'testWebhook'> = async (ctx, { params }) => {
  return write(ctx, async (tx) => sendTest(tx, await readWebhook(tx, ctx.accountId, params.id, 'webhook')));
};

export const testAlert: Perform<'testAlert'> = async (ctx, { params }) => {
  return write(ctx, async (tx) => sendTest(tx, await readWebhook(tx, ctx.accountId, params.id, 'alert')));
};

export const replayDelivery: Perform<'replayDelivery'> = (ctx, { params }) => {
  return replay(ctx, params.deliveryId, undefined);
};

export const replayWebhookDelivery: Perform<'replayWebhookDelivery'> = (ctx, { params }) => {
  return replay(ctx, params.deliveryId, params.id);
};
