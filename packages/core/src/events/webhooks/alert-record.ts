import { AppError } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Perform } from '../../platform/context.ts';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';
import { readOwn } from '../../platform/references/used.ts';
import { readDeliveries } from './deliveries.ts';
import { toWebhookRecord, type WebhookRow } from './webhook-record.ts';

const { outbox, webhooks } = tables;

export function toAlertRecord(row: WebhookRow) {
  const { id, events, filter, enabled, disabled_reason, created_at, updated_at } = toWebhookRecord(row);
  return {
    id,
    slug: row.slug,
    name: row.name ?? '',
    events,
    filter: { failed: row.onlyFailed, ...filter },
    to: { type: row.channel ?? 'webhook', shown: row.url },
    confirmed: row.confirmed,
    enabled,
    disabled_reason,
    created_at,
    updated_at,
  };
}

/** @throws AppError not_found */
export async function readAlert(db: Executor, accountId: string, id: string): Promise<WebhookRow> {
  const row = await readOwn(db, webhooks, accountId, id);
  if (row.channel === null) throw new AppError('not_found');
  return row;
}

export const getAlert: Perform<'getAlert'> = async (ctx, { params }) => {
  return toAlertRecord(await readAlert(ctx.services.db.orm, ctx.accountId, params.id));
};

export const listAlerts: Perform<'listAlerts'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    webhooks.id,
    [
      and(eq(webhooks.accountId, ctx.accountId), isNull(webhooks.deletedAt), isNotNull(webhooks.channel)),
      matchesSearch(query.search, { id: webhooks.id, name: webhooks.name, slug: webhooks.slug }),
    ],
    ctx.services.db.orm.select().from(webhooks),
  );
  return { alerts: items.map(toAlertRecord), pagination };
};

export const listAlertDeliveries: Perform<'listAlertDeliveries'> = async (ctx, { params, query }) => {
  const { id } = await readAlert(ctx.services.db.orm, ctx.accountId, params.id);
  return readDeliveries(ctx, query, [
    eq(outbox.webhookId, id),
    query.status === undefined ? undefined : eq(outbox.state, query.status),
  ]);
};
