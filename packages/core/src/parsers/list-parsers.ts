import type { listParsers as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { readPage } from '../lists/page.ts';
import { selectParsers } from './get-parser.ts';
import { toParserRecord } from './parser-record.ts';

const { parsers } = tables;

export const listParsers = async (
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> => {
  const { items, pagination } = await readPage(query, async (before, limit) => {
    const rows = await selectParsers(ctx.services.db.orm)
      .where(
        and(
          eq(parsers.accountId, ctx.accountId),
          isNull(parsers.deletedAt),
          before === undefined ? undefined : lt(parsers.id, before),
        ),
      )
      .orderBy(desc(parsers.id))
      .limit(limit);
    return rows.map((row) => toParserRecord(row.parser, row.schema));
  });
  return { parsers: items, pagination };
};
