import type { ParserRecord, ParserSchema, ScrapeConfig } from '@gleaner/contracts';
import type { tables } from '@gleaner/db';
import { openConfig, type StoredConfig } from '../platform/secrets/sealed-config.ts';

type ParserRow = typeof tables.parsers.$inferSelect;

/** A parser without what it sends along to pages, which is sealed. */
export type SavedParser = Omit<ParserRecord, 'scrape_config' | 'schema'> & { schema: ParserSchema };

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

/** What each record of a parser has. */
function toMembers(row: Omit<ParserRow, 'scrapeConfig'>) {
  const { id, slug, name, description, version, createdAt, updatedAt } = row;
  return { id, slug, name, description, version, created_at: createdAt, updated_at: updatedAt };
}

export function toSavedParser(row: Omit<ParserRow, 'scrapeConfig'>, schema: ParserSchema): SavedParser {
  return { ...toMembers(row), schema };
}

/** A parser in a list, with the names of its fields in place of its schema. @throws AppError as `openConfig` does */
export function toListedParser(services: WithSecretKey, row: ParserRow, fields: string[]) {
  return { ...toMembers(row), fields, scrape_config: readScrapeConfig(services, row) };
}

/** @throws AppError as `openConfig` does */
export function toParserRecord(services: WithSecretKey, row: ParserRow, schema: ParserSchema): ParserRecord {
  return { ...toSavedParser(row, schema), scrape_config: readScrapeConfig(services, row) };
}
