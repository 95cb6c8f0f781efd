import { AppError } from '@gleaner/contracts';
import type { getParser as operation, OperationInput, ParserRecord } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { toParserRecord } from './parser-record.ts';

const { parsers, parserVersions } = tables;

/** Bytes of a version's schema as text. */
export const schemaSize = sql<number>`octet_length(${parserVersions.schema}::text)`;

const isCurrent = and(eq(parserVersions.parserId, parsers.id), eq(parserVersions.version, parsers.version));

/** A query of parsers with their current schema, without conditions. */
export function selectParsers(db: Executor) {
  return db
    .select({ parser: parsers, schema: parserVersions.schema })
    .from(parsers)
    .innerJoin(parserVersions, isCurrent);
}

/** The same query for the sizes of their schemas. */
export function selectParserSizes(db: Executor) {
  return db.select({ size: schemaSize }).from(parsers).innerJoin(parserVersions, isCurrent);
}

/** A parser with its current schema. @throws AppError not_found: absent, deleted or another account's */
export async function readParser(
  db: Executor,
  accountId: string,
  id: string,
  field?: string,
): Promise<ParserRecord> {
  const [row] = await selectParsers(db).where(
    and(eq(parsers.id, id), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)),
  );
  if (!row) throw new AppError('not_found', field === undefined ? {} : { field });
  return toParserRecord(row.parser, row.schema);
}

export function getParser(ctx: Context, { params }: OperationInput<typeof operation>): Promise<ParserRecord> {
  return readParser(ctx.services.db.orm, ctx.accountId, params.id);
}
