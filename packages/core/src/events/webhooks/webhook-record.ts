import { readOwn } from '../../platform/references/used.ts';
import { AppError, WEBHOOK_EVENTS, type WebhookEvent } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { eq, isNull } from 'drizzle-orm';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';
import type { Perform } from '../../platform/context.ts';

export type WebhookRow = typeof tables.webhooks.$inferSelect;
/** A delivery with the payload of its event. */
export type DeliveryRow = typeof tables.outbox.$inferSelect & { shared: string | null };

export function toWebhookRecord(row: WebhookRow) {
  return {
    id: row.id,
    slug: row.slug,
    url: row.url,
    events: row.events.filter((event): event is WebhookEvent =>
      WEBHOOK_EVENTS.some((known) => known === event),
    ),
    filter: row.changes ?? {},
    enabled: row.isEnabled,
    disabled_reason: row.disabledReason,
    paused_until: row.resumesAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export function toDeliveryRecord(row: DeliveryRow) {
  return {
    id: row.id,
    webhook_id: row.webhookId,
    run_id: row.runId,
    url: row.url,
    event: row.event,
    payload: JSON.parse(row.shared ?? row.payload) as unknown,
    status: row.state,
    attempts: row.attempts,
    next_attempt_at: row.dueAt,
    response_status: row.responseStatus,
    response_body: row.responseBody,
    error: row.error,
    created_at: row.createdAt,
    attempted_at: row.attemptedAt,
    delivered_at: row.deliveredAt,
  };
}

const { webhooks } = tables;

/** A webhook of the account, no alert. @throws AppError not_found */
export async function readWebhook(db: Executor, accountId: string, id: string): Promise<WebhookRow> {
  const row = await readOwn(db, webhooks, accountId, id);
  if (row.channel !== null) throw new AppError('not_found');
  return row;
}

export const getWebhook: Perform<'getWebhook'> = async (ctx, { params }) => {
  return toWebhookRecord(await readWebhook(ctx.services.db.orm, ctx.accountId, params.id));
};

export const listWebhooks: Perform<'listWebhooks'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    webhooks.id,
    [
      eq(webhooks.accountId, ctx.accountId),
      isNull(webhooks.deletedAt),
      isNull(webhooks.channel),
      matchesSearch(query.search, { id: webhooks.id, name: webhooks.url, slug: webhooks.slug }),
    ],
    ctx.services.db.orm.select().from(webhooks),
  );
  return { webhooks: items.map(toWebhookRecord), pagination };
};
