import type { listDatabases as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';
import { toDatabaseRecord } from './database-record.ts';

const { databases } = tables;

export async function listDatabases(
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const { items, pagination } = await listPage(
    query,
    databases.id,
    [eq(databases.accountId, ctx.accountId)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(databases).where(where).orderBy(order).limit(limit),
  );
  return { databases: items.map(toDatabaseRecord), pagination };
}
