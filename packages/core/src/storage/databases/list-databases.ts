import type { listDatabases as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { listPage } from '../../platform/lists/page.ts';
import { toDatabaseRecord } from './database-record.ts';
import type { Perform } from '../../platform/perform.ts';

const { databases } = tables;

export const listDatabases: Perform<typeof operation> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    databases.id,
    [eq(databases.accountId, ctx.accountId)],
    ({ where, order, limit }) =>
      ctx.services.db.orm.select().from(databases).where(where).orderBy(order).limit(limit),
  );
  return { databases: items.map(toDatabaseRecord), pagination };
};
