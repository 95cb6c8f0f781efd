import type { listParsers as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { readPage } from '../lists/page.ts';
import { toParserRecord } from './parser-record.ts';

const { parsers, parserVersions } = tables;

export const listParsers = async (
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> => {
  const { items, pagination } = await readPage(query, async (before, limit) => {
    const rows = await ctx.services.db.orm
      .select({ parser: parsers, schema: parserVersions.schema })
      .from(parsers)
      .innerJoin(
        parserVersions,
        and(eq(parserVersions.parserId, parsers.id), eq(parserVersions.version, parsers.version)),
      )
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
