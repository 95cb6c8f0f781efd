import type { listParsers as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, isNull } from 'drizzle-orm';
import { listPage } from '../platform/lists/page.ts';
import { selectParsers, selectParserSizes } from './get-parser.ts';
import { toParserRecord } from './parser-record.ts';
import type { Perform } from '../platform/perform.ts';

const { parsers } = tables;

export const listParsers: Perform<typeof operation> = async (ctx, { query }) => {
  const { orm } = ctx.services.db;
  const { items, pagination } = await listPage(
    query,
    parsers.id,
    [eq(parsers.accountId, ctx.accountId), isNull(parsers.deletedAt)],
    async ({ where, order, limit }) => {
      const rows = await selectParsers(orm).where(where).orderBy(order).limit(limit);
      return rows.map((row) => toParserRecord(ctx.services, row.parser, row.schema));
    },
    ({ where, order, limit }) => selectParserSizes(orm).where(where).orderBy(order).limit(limit),
  );
  return { parsers: items, pagination };
};
