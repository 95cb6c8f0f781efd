import { tables } from '@gleaner/db';
import { eq, isNull } from 'drizzle-orm';
import { listPage } from '../../platform/lists/page.ts';
import { matchesSearch } from '../../platform/lists/search.ts';
import { readWebhook, toWebhookRecord } from './webhook-record.ts';
import type { Perform } from '../../platform/context.ts';

const { webhooks } = tables;

export const getWebhook: Perform<'getWebhook'> = async (ctx, { params }) => {
  return toWebhookRecord(await readWebhook(ctx.services.db.orm, { accountId: ctx.accountId, id: params.id }));
};

export const listWebhooks: Perform<'listWebhooks'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    webhooks.id,
    [
      eq(webhooks.accountId, ctx.accountId),
      isNull(webhooks.deletedAt),
      matchesSearch(query.search, { id: webhooks.id, name: webhooks.url, slug: webhooks.slug }),
    ],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(webhooks).where(where).orderBy(order).limit(limit),
  );
  return { webhooks: items.map(toWebhookRecord), pagination };
};
