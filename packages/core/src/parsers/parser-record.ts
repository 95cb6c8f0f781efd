import type { ParserRecord, ScrapeConfig } from '@gleaner/contracts';
import type { tables } from '@gleaner/db';

type ParserRow = typeof tables.parsers.$inferSelect;

// Both columns are written only after they were checked.
export const readStoredSchema = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;
export const readStoredScrapeConfig = (value: unknown): ScrapeConfig => value as ScrapeConfig;

export const toParserRecord = (row: ParserRow, schema: unknown): ParserRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  schema: readStoredSchema(schema),
  version: row.version,
  scrape_config: readStoredScrapeConfig(row.scrapeConfig),
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
