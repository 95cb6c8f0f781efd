import type { listParsers as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { countFitting } from '../platform/lists/page-bytes.ts';
import { readPage } from '../platform/lists/page.ts';
import { selectParsers, selectParserSizes } from './get-parser.ts';
import { toParserRecord } from './parser-record.ts';

const { parsers } = tables;

export async function listParsers(
  ctx: Context,
  { query }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const { orm } = ctx.services.db;
  const behind = (before: string | undefined) =>
    and(
      eq(parsers.accountId, ctx.accountId),
      isNull(parsers.deletedAt),
      before === undefined ? undefined : lt(parsers.id, before),
    );
  const { items, pagination } = await readPage(
    query,
    async (before, limit) => {
      const rows = await selectParsers(orm).where(behind(before)).orderBy(desc(parsers.id)).limit(limit);
      return rows.map((row) => toParserRecord(ctx.services, row.parser, row.schema));
    },
    async (before, limit) => {
      const rows = await selectParserSizes(orm).where(behind(before)).orderBy(desc(parsers.id)).limit(limit);
      return countFitting(rows.map(({ size }) => size));
    },
  );
  return { parsers: items, pagination };
}
