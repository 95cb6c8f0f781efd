import { AppError, type ParserRecord } from '@gleaner/contracts';
import { tables, type Database, type Executor } from '@gleaner/db';
import { and, eq, isNull, sql } from 'drizzle-orm';
import {
  toListedParser,
  toParserRecord,
  toSavedParser,
  type SavedParser,
  type WithSecretKey,
} from './parser-record.ts';
import type { Perform } from '../platform/context.ts';
import { listPage } from '../platform/lists/page.ts';
import { matchesSearch } from '../platform/lists/search.ts';

const { parserVersions, parsers } = tables;

/** Bytes of a version's schema as text. */
export const schemaSize = sql<number>`octet_length(${parserVersions.schema}::text)`;

/** Names of a version's fields, in their order. */
const fieldNames = sql<
  string[]
>`ARRAY(SELECT f.key FROM json_each(${parserVersions.schema} -> 'fields') WITH ORDINALITY f (key, value, place) ORDER BY f.place)`;

const isCurrent = and(eq(parserVersions.parserId, parsers.id), eq(parserVersions.version, parsers.version));

/** A query of parsers with their current schema, without conditions. */
function selectParsers(db: Executor) {
  return db
    .select({ parser: parsers, schema: parserVersions.schema })
    .from(parsers)
    .innerJoin(parserVersions, isCurrent);
}

async function readRow(db: Executor, accountId: string, id: string, field?: string) {
  const [row] = await selectParsers(db).where(
    and(eq(parsers.id, id), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)),
  );
  if (!row) throw new AppError('not_found', { field });
  return row;
}

/** A parser with its current schema. @throws AppError not_found: absent, deleted or another account's */
export async function readParser(db: Executor, accountId: string, id: string): Promise<SavedParser> {
  const row = await readRow(db, accountId, id);
  return toSavedParser(row.parser, row.schema);
}

/** The same with its scrape_config. @throws AppError as `readParser` and `openConfig` do */
export async function readWholeParser(
  services: WithSecretKey & { db: Database },
  accountId: string,
  id: string,
  field?: string,
): Promise<ParserRecord> {
  const row = await readRow(services.db.orm, accountId, id, field);
  return toParserRecord(services, row.parser, row.schema);
}

export const getParser: Perform<'getParser'> = (ctx, { params }) => {
  return readWholeParser(ctx.services, ctx.accountId, params.id);
};

export const listParsers: Perform<'listParsers'> = async (ctx, { query }) => {
  const { orm } = ctx.services.db;
  const { items, pagination } = await listPage(
    query,
    parsers.id,
    [eq(parsers.accountId, ctx.accountId), isNull(parsers.deletedAt), matchesSearch(query.search, parsers)],
    async ({ where, order, limit }) => {
      const rows = await orm
        .select({ parser: parsers, fields: fieldNames })
        .from(parsers)
        .innerJoin(parserVersions, isCurrent)
        .where(where)
        .orderBy(order)
        .limit(limit);
      return rows.map(({ parser, fields }) => toListedParser(ctx.services, parser, fields));
    },
  );
  return { parsers: items, pagination };
};
