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

// The schema was checked when it was saved.
function asSchema(value: unknown): ParserSchema {
  return value as ParserSchema;
}

/** Caches schemas by version. Versions never change, so an entry is never outdated. */
export interface ParserCache {
  load(parserId: string, version: number): Promise<LoadedParser>;
}

export function createParserCache(db: Database, maxCharacters = MAX_CHARACTERS): ParserCache {
  const entries = new LRUCache<string, Promise<LoadedParser>>({ max: MAX_ENTRIES, maxSize: maxCharacters });
  const read = async (parserId: string, version: number, key: string): Promise<LoadedParser> => {
    const [row] = await db.orm
      .select({ schema: tables.parserVersions.schema })
      .from(tables.parserVersions)
      .where(and(eq(tables.parserVersions.parserId, parserId), eq(tables.parserVersions.version, version)));
    if (!row) throw new AppError('not_found', { detail: 'the parser was removed' });
    return { key, schema: asSchema(row.schema) };
  };
  return {
    load: (parserId, version) => {
      const key = `${parserId}/${version}`;
      const known = entries.get(key);
      if (known) return known;
      const loading = read(parserId, version, key);
      // The size is known only after reading, and the cache reads the size of new entries only.
      entries.set(key, loading, { size: 1 });
      loading.then(
        ({ schema }) => {
          if (entries.peek(key) !== loading) return;
          entries.delete(key);
          entries.set(key, loading, { size: JSON.stringify(schema).length });
        },
        () => entries.peek(key) === loading && entries.delete(key),
      );
      return loading;
    },
  };
}
