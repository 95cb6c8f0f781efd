import type { ParserRecord, ScrapeConfig } from '@gleaner/contracts';
import type { tables } from '@gleaner/db';
import { openConfig, type StoredConfig } from '../platform/secrets/sealed-config.ts';

type ParserRow = typeof tables.parsers.$inferSelect;

/** A parser without what it sends along to pages, which is sealed. */
export type SavedParser = Omit<ParserRecord, 'scrape_config'>;

/** A key to open what a parser sends along. */
export interface WithSecretKey {
  config: { secretKey?: string | undefined };
}

// Both columns are checked before they are written.
export function readStoredSchema(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}
export function readScrapeConfig(
  { config: { secretKey } }: WithSecretKey,
  { id, scrapeConfig }: Pick<ParserRow, 'id' | 'scrapeConfig'>,
): ScrapeConfig {
  return openConfig(scrapeConfig as StoredConfig, { secretKey, id });
}

export function toSavedParser(row: Omit<ParserRow, 'scrapeConfig'>, schema: unknown): SavedParser {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    schema: readStoredSchema(schema),
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** @throws AppError as `openConfig` does */
export function toParserRecord(services: WithSecretKey, row: ParserRow, schema: unknown): ParserRecord {
  return { ...toSavedParser(row, schema), scrape_config: readScrapeConfig(services, row) };
}
