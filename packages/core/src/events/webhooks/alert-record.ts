import type { Perform } from '../../platform/context.ts';
import { listOfKind, readWebhook, toWebhookRecord, type WebhookRow } from './webhook-record.ts';

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

export const getAlert: Perform<'getAlert'> = async (ctx, { params }) => {
  return toAlertRecord(await readWebhook(ctx.services.db.orm, ctx.accountId, params.id, 'alert'));
};

export const listAlerts: Perform<'listAlerts'> = async (ctx, { query }) => {
  const { items, pagination } = await listOfKind(ctx, query, 'alert');
  return { alerts: items.map(toAlertRecord), pagination };
};
