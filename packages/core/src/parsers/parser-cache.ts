import { AppError, type ParserSchema } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 1_000;
/** Characters of all schemas as JSON; as objects they take several times as much. One schema can have a million. */
const MAX_CHARACTERS = 32_000_000;

/** A parser version's schema, with the key under which threads cache it. */
export interface LoadedParser {
  key: string;
  schema: ParserSchema;
}

/** Caches schemas by version. Versions never change, so an entry is never outdated. */
export interface ParserCache {
  load(parserId: string, version: number): Promise<LoadedParser>;
}

export function createParserCache({ orm }: Database, maxCharacters = MAX_CHARACTERS): ParserCache {
  const { parserVersions } = tables;
  const entries = new LRUCache<string, LoadedParser, { parserId: string; version: number }>({
    max: MAX_ENTRIES,
    maxSize: maxCharacters,
    sizeCalculation: ({ schema }) => JSON.stringify(schema).length,
    // An entry that is evicted while it is read still answers those that wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { context: { parserId, version } }) => {
      const [row] = await orm
        .select({ schema: parserVersions.schema })
        .from(parserVersions)
        .where(and(eq(parserVersions.parserId, parserId), eq(parserVersions.version, version)));
      if (!row) throw new AppError('not_found', { detail: 'the parser was removed' });
      return { key, schema: row.schema };
    },
  });
  return {
    load: (parserId, version) =>
      entries.forceFetch(`${parserId}/${version}`, { context: { parserId, version } }),
  };
}
