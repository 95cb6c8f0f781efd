import type {
  listDeliveries as listOperation,
  listWebhookDeliveries as listOfOneOperation,
  ListQuery,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';
import { readWebhook, toDeliveryRecord } from './webhook-record.ts';
import type { Perform } from '../../platform/perform.ts';

const { outbox, webhookEvents } = tables;

async function readDeliveries(ctx: Context, query: ListQuery, filters: (SQL | undefined)[]) {
  const { items, pagination } = await listPage(
    query,
    outbox.id,
    [
      eq(outbox.accountId, ctx.accountId),
      sql`NOT EXISTS (SELECT 1 FROM gleaner.webhooks w WHERE w.id = ${outbox.webhookId} AND w.deleted_at IS NOT NULL)`,
      ...filters,
    ],
    ({ where, order, limit }) =>
      ctx.services.db.orm
        .select({ ...getTableColumns(outbox), shared: webhookEvents.payload })
        .from(outbox)
        .leftJoin(webhookEvents, eq(webhookEvents.no, outbox.eventNo))
        .where(where)
        .orderBy(order)
        .limit(limit),
  );
  return { deliveries: items.map(toDeliveryRecord), pagination };
}

export const listDeliveries: Perform<typeof listOperation> = async (ctx, { query }) => {
  return readDeliveries(ctx, query, [
    query.run === undefined ? undefined : eq(outbox.runId, query.run),
    query.status === undefined ? undefined : eq(outbox.state, query.status),
  ]);
};

export const listWebhookDeliveries: Perform<typeof listOfOneOperation> = async (ctx, { params, query }) => {
  const { id } = await readWebhook(ctx.services.db.orm, { accountId: ctx.accountId, id: params.id });
  return readDeliveries(ctx, query, [
    eq(outbox.webhookId, id),
    query.status === undefined ? undefined : eq(outbox.state, query.status),
  ]);
};
