import { AppError, type ParserSchema } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';

const MAX_ENTRIES = 1_000;
/** Of the schemas as JSON, which take some times as much as objects; a single one may have a million. */
const MAX_CHARACTERS = 32_000_000;

/** A parser version's schema with the key under which threads keep it compiled. */
export interface LoadedParser {
  key: string;
  schema: ParserSchema;
}

// It was checked when it was saved.
function asSchema(value: unknown): ParserSchema {
  return value as ParserSchema;
}

/** Schemas by version: versions never change, so an entry is never stale. */
export interface ParserCache {
  load(parserId: string, version: number): Promise<LoadedParser>;
}

interface Entry {
  parser: Promise<LoadedParser>;
  /** Known when it was read. */
  characters: number;
}

export function createParserCache(db: Database, maxCharacters = MAX_CHARACTERS): ParserCache {
  const entries = new Map<string, Entry>();
  let characters = 0;
  const forget = (key: string): void => {
    characters -= entries.get(key)?.characters ?? 0;
    entries.delete(key);
  };
  const forgetOldest = (): void => {
    const [oldest] = entries.keys();
    if (oldest !== undefined) forget(oldest);
  };
  const count = (entry: Entry, { key, schema }: LoadedParser): void => {
    if (entries.get(key) !== entry) return;
    entry.characters = JSON.stringify(schema).length;
    characters += entry.characters;
    while (characters > maxCharacters && entries.size > 1) forgetOldest();
  };
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
      if (known) return known.parser;
      if (entries.size >= MAX_ENTRIES) forgetOldest();
      const entry: Entry = { parser: read(parserId, version, key), characters: 0 };
      entries.set(key, entry);
      entry.parser.then(
        (parser) => count(entry, parser),
        () => entries.get(key) === entry && forget(key),
      );
      return entry.parser;
    },
  };
}
