import { AppError, type ScrapeConfig } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, isNull } from 'drizzle-orm';
import { readStoredScrapeConfig } from './parser-record.ts';

const { parsers } = tables;

const MAX_ENTRIES = 10_000;

/** The part of a parser that a scrape needs, as it was read. */
export interface CurrentParser {
  id: string;
  version: number;
  scrapeConfig: ScrapeConfig;
  /** Proves to Postgres which state this is: whoever uses an entry has it checked when the request is submitted. */
  updatedAt: string;
}

/** Current versions of parsers. Entries may be outdated, so each use is checked by its `updatedAt`. */
export interface CurrentParsers {
  /** @throws AppError not_found: absent, deleted or another account's */
  read(accountId: string, id: string): Promise<CurrentParser>;
  /** Called when an entry proved outdated. */
  forget(accountId: string, id: string): void;
}

export function createCurrentParsers(db: Database): CurrentParsers {
  const entries = new Map<string, Promise<CurrentParser>>();
  const load = async (accountId: string, id: string): Promise<CurrentParser> => {
    const [row] = await db.orm
      .select({ version: parsers.version, scrapeConfig: parsers.scrapeConfig, updatedAt: parsers.updatedAt })
      .from(parsers)
      .where(and(eq(parsers.id, id), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)));
    if (!row) throw new AppError('not_found');
    const { version, scrapeConfig, updatedAt } = row;
    return { id, version, scrapeConfig: readStoredScrapeConfig(scrapeConfig), updatedAt };
  };
  return {
    read: (accountId, id) => {
      const key = `${accountId}/${id}`;
      const known = entries.get(key);
      if (known) return known;
      const [oldest] = entries.keys();
      if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
      const entry = load(accountId, id);
      entries.set(key, entry);
      entry.catch(() => entries.get(key) === entry && entries.delete(key));
      return entry;
    },
    forget: (accountId, id) => {
      entries.delete(`${accountId}/${id}`);
    },
  };
}
