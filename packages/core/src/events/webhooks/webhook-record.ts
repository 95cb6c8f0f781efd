import { readOwn } from '../../platform/references/used.ts';
import { AppError, WEBHOOK_EVENTS, type ListQuery, type WebhookEvent } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, isNotNull, isNull, type SQL } from 'drizzle-orm';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';
import type { Context, Perform } from '../../platform/context.ts';

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

/** An alert is a webhook with a channel. */
export type WebhookKind = 'webhook' | 'alert';

/** One of the account. @throws AppError not_found */
export async function readWebhook(
  db: Executor,
  accountId: string,
  id: string,
  kind: WebhookKind,
): Promise<WebhookRow> {
  const row = await readOwn(db, webhooks, accountId, id);
  if ((row.channel === null) !== (kind === 'webhook')) throw new AppError('not_found');
  return row;
}

/** Webhooks, or alerts, of the account that are not deleted. */
export function presentOf(accountId: string, kind: WebhookKind): SQL | undefined {
  const isOfKind = kind === 'webhook' ? isNull(webhooks.channel) : isNotNull(webhooks.channel);
  return and(eq(webhooks.accountId, accountId), isNull(webhooks.deletedAt), isOfKind);
}

export function listOfKind(
  { accountId, services }: Context,
  query: ListQuery & { search?: string | undefined },
  kind: WebhookKind,
) {
  const name = kind === 'webhook' ? webhooks.url : webhooks.name;
  const found = matchesSearch(query.search, { id: webhooks.id, name, slug: webhooks.slug });
  const rows = services.db.orm.select().from(webhooks);
  return listPage(query, webhooks.id, [presentOf(accountId, kind), found], rows);
}

export const getWebhook: Perform<'getWebhook'> = async (ctx, { params }) => {
  return toWebhookRecord(await readWebhook(ctx.services.db.orm, ctx.accountId, params.id, 'webhook'));
};

export const listWebhooks: Perform<'listWebhooks'> = async (ctx, { query }) => {
  const { items, pagination } = await listOfKind(ctx, query, 'webhook');
  return { webhooks: items.map(toWebhookRecord), pagination };
};
