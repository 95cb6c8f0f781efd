import type { ParserRecord, ScrapeConfig } from '@gleaner/contracts';
import type { tables } from '@gleaner/db';

type ParserRow = typeof tables.parsers.$inferSelect;

// Both columns are checked before they are written.
export function readStoredSchema(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}
export function readStoredScrapeConfig(value: unknown): ScrapeConfig {
  return value as ScrapeConfig;
}

export function toParserRecord(row: ParserRow, schema: unknown): ParserRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    schema: readStoredSchema(schema),
    version: row.version,
    scrape_config: readStoredScrapeConfig(row.scrapeConfig),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
