import { AppError, type ParserSchema } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';

const MAX_ENTRIES = 1_000;

/** A parser version's schema with the key under which threads keep it compiled. */
export interface LoadedParser {
  key: string;
  schema: ParserSchema;
}

// It was checked when it was saved.
const asSchema = (value: unknown): ParserSchema => value as ParserSchema;

/** Schemas by version: versions never change, so an entry is never stale. */
export interface ParserCache {
  load(parserId: string, version: number): Promise<LoadedParser>;
}

export const createParserCache = (db: Database): ParserCache => {
  const entries = new Map<string, Promise<LoadedParser>>();
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
      const [oldest] = entries.keys();
      if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
      const loading = read(parserId, version, key);
      loading.catch(() => entries.delete(key));
      entries.set(key, loading);
      return loading;
    },
  };
};
