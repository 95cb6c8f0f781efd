import {
  type ParserRecord,
  type ParserSchema,
  type ScrapeConfig,
  AppError,
  PAGE_PARSER,
} from '@gleaner/contracts';
import { tables, type Database, type Executor } from '@gleaner/db';
import { openConfig, type StoredConfig } from '../platform/secrets/sealed-config.ts';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Perform } from '../platform/context.ts';
import { listPage, matchesSearch } from '../platform/lists/page.ts';
import { PAGE_RECORD, PAGE_SCHEMA, refuseBuiltIn } from './page-parser.ts';

type ParserRow = typeof tables.parsers.$inferSelect;

/** A parser without what it sends along to pages, which is sealed. */
export type SavedParser = Omit<ParserRecord, 'scrape_config' | 'schema'> & { schema: ParserSchema };

/** What the engine needs of a parser. */
export interface ReadingParser extends SavedParser {
  /** Whether it reads open shadow roots inside their hosts. */
  composed: boolean;
}

/** A key to open what a parser sends along. */
export interface WithSecretKey {
  config: { secretKey?: string | undefined };
}

// The column is checked before it is written.
export function readScrapeConfig(
  { config: { secretKey } }: WithSecretKey,
  { id, scrapeConfig }: Pick<ParserRow, 'id' | 'scrapeConfig'>,
): ScrapeConfig {
  return openConfig(scrapeConfig as StoredConfig, { secretKey, id });
}

/** Whether a parser's pages are composed. This part of a configuration is never sealed. */
function isComposed({ scrapeConfig }: Pick<ParserRow, 'scrapeConfig'>): boolean {
  return (scrapeConfig as StoredConfig).composed !== false;
}

/** What each record of a parser has. */
function toMembers(row: Omit<ParserRow, 'scrapeConfig'>) {
  const { id, slug, name, description, version, createdAt, updatedAt } = row;
  return { id, slug, name, description, version, created_at: createdAt, updated_at: updatedAt };
}

export function toSavedParser(row: Omit<ParserRow, 'scrapeConfig'>, schema: ParserSchema): SavedParser {
  return { ...toMembers(row), schema };
}

/** @throws AppError as `openConfig` does */
export function toParserRecord(services: WithSecretKey, row: ParserRow, schema: ParserSchema): ParserRecord {
  return { ...toSavedParser(row, schema), scrape_config: readScrapeConfig(services, row) };
}

const { parserVersions, parsers } = tables;

/** Bytes of a version's schema as text. */
export const schemaSize = sql<number>`octet_length(${parserVersions.schema}::text)`;

/** Names of a version's fields, in their order. */
const fieldNames = sql<
  string[]
>`ARRAY(SELECT f.key FROM json_each(${parserVersions.schema} -> 'fields') WITH ORDINALITY f (key, value, place) ORDER BY f.place)`;

const isCurrent = and(eq(parserVersions.parserId, parsers.id), eq(parserVersions.version, parsers.version));

async function readRow(db: Executor, accountId: string, id: string, field?: string) {
  const [row] = await db
    .select({ parser: parsers, schema: parserVersions.schema })
    .from(parsers)
    .innerJoin(parserVersions, isCurrent)
    .where(and(eq(parsers.id, id), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)));
  if (!row) throw new AppError('not_found', { field });
  return row;
}

/**
 * A parser of the account with its current schema.
 * @throws AppError not_found: absent, deleted or another account's; in_use: the built-in one
 */
export async function readParser(db: Executor, accountId: string, id: string): Promise<ReadingParser> {
  refuseBuiltIn(id);
  const row = await readRow(db, accountId, id);
  return { ...toSavedParser(row.parser, row.schema), composed: isComposed(row.parser) };
}

/** What reads pages: a parser of the account or the built-in one. @throws AppError not_found, as `readParser` */
export async function readReader(
  db: Executor,
  accountId: string,
  id: string,
): Promise<Pick<ReadingParser, 'id' | 'name' | 'version' | 'schema' | 'composed'>> {
  return id === PAGE_PARSER
    ? { ...PAGE_RECORD, schema: PAGE_SCHEMA, composed: true }
    : readParser(db, accountId, id);
}

/** The same with its scrape_config. @throws AppError as `readReader` and `openConfig` do */
export async function readWholeParser(
  services: WithSecretKey & { db: Database },
  accountId: string,
  id: string,
  field?: string,
): Promise<ParserRecord> {
  if (id === PAGE_PARSER) return PAGE_RECORD;
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
    orm
      .select({ id: parsers.id, parser: parsers, fields: fieldNames })
      .from(parsers)
      .innerJoin(parserVersions, isCurrent),
  );
  const records = items.map(({ parser, fields }) => ({
    ...toMembers(parser),
    fields,
    scrape_config: readScrapeConfig(ctx.services, parser),
  }));
  return { parsers: records, pagination };
};
