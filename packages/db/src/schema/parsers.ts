import type { ParserSchema } from '@gleaner/contracts';
import { integer, json, jsonb, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

export const parsers = gleaner.table('parsers', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  /** Stands wherever the id can. */
  slug: text(),
  name: text().notNull(),
  description: text(),
  /** Number of the current version in parser_versions. */
  version: integer().notNull(),
  scrapeConfig: jsonb('scrape_config').notNull(),
  createdAt: timestampNow('created_at'),
  updatedAt: timestampNow('updated_at'),
  /** Deleted parsers keep their versions for the work in flight. */
  deletedAt: timestamp('deleted_at'),
});

/** Immutable: work in flight keeps the version it started with. */
export const parserVersions = gleaner.table('parser_versions', {
  parserId: text('parser_id').notNull(),
  version: integer().notNull(),
  /** Checked before it is written. `json`, not `jsonb`: the order of its fields is the order of the answer's. */
  schema: json().$type<ParserSchema>().notNull(),
  /** The version that this one brought back. */
  restoredFrom: integer('restored_from'),
  /** Where the account keeps the schema, such as a repository. */
  source: text(),
  createdAt: timestampNow('created_at'),
});

/** Pages on which each new version of a parser is tried. */
export const parserSamples = gleaner.table('parser_samples', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  parserId: text('parser_id').notNull(),
  url: text(),
  /** zstd */
  html: bytes('html').notNull(),
  sizeBytes: integer('size_bytes').notNull(),
  /** Values by field; a field that is left out is not tested. */
  expected: json(),
  createdAt: timestampNow('created_at'),
});
