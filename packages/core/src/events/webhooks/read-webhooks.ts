import type {
  getWebhook as getOperation,
  listWebhooks as listOperation,
  OperationInput,
  OperationOutput,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, isNull } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';
import { readWebhook, toWebhookRecord } from './webhook-record.ts';

const { webhooks } = tables;

export async function getWebhook(
  ctx: Context,
  { params }: OperationInput<typeof getOperation>,
): Promise<OperationOutput<typeof getOperation>> {
  return toWebhookRecord(await readWebhook(ctx.services.db.orm, { accountId: ctx.accountId, id: params.id }));
}

export async function listWebhooks(
  ctx: Context,
  { query }: OperationInput<typeof listOperation>,
): Promise<OperationOutput<typeof listOperation>> {
  const { items, pagination } = await listPage(
    query,
    webhooks.id,
    [eq(webhooks.accountId, ctx.accountId), isNull(webhooks.deletedAt)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(webhooks).where(where).orderBy(order).limit(limit),
  );
  return { webhooks: items.map(toWebhookRecord), pagination };
}
