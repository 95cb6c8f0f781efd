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

export function toSavedParser(row: Omit<ParserRow, 'scrapeConfig'>, schema: ParserSchema): SavedParser {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    schema,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** @throws AppError as `openConfig` does */
export function toParserRecord(services: WithSecretKey, row: ParserRow, schema: ParserSchema): ParserRecord {
  return { ...toSavedParser(row, schema), scrape_config: readScrapeConfig(services, row) };
}
