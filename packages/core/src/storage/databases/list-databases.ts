import type { listDatabases as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Context } from '../../platform/context.ts';
import { readPage } from '../../platform/lists/page.ts';
import { toDatabaseRecord } from './database-record.ts';

const { databases } = tables;

export async function listDatabases(
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const { items, pagination } = await readPage(query, (before, limit) =>
    ctx.services.db.orm
      .select()
      .from(databases)
      .where(
        and(
          eq(databases.accountId, ctx.accountId),
          before === undefined ? undefined : lt(databases.id, before),
        ),
      )
      .orderBy(desc(databases.id))
      .limit(limit),
  );
  return { databases: items.map(toDatabaseRecord), pagination };
}
