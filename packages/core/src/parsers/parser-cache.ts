import { AppError, type ParserSchema } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

const MAX_ENTRIES = 1_000;
/** Characters of all schemas as JSON; as objects they take several times as much. One schema can have a million. */
const MAX_CHARACTERS = 32_000_000;

/** A parser version's schema, with the key under which threads cache it. */
export interface LoadedParser {
  key: string;
  schema: ParserSchema;
}

export type ParserCache = ReturnType<typeof createParserCache>;

/** Caches schemas by version. Versions never change, so an entry is never outdated. */
export function createParserCache({ orm }: Database, maxCharacters = MAX_CHARACTERS) {
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
    load: (parserId: string, version: number): Promise<LoadedParser> =>
      entries.forceFetch(`${parserId}/${version}`, { context: { parserId, version } }),
  };
}

/** An unsaved schema. The threads cache it under its digest. */
export function toUnsavedParser(schema: ParserSchema): LoadedParser {
  return {
    key: `preview/${createHash('sha256').update(JSON.stringify(schema)).digest('base64url')}`,
    schema,
  };
}
