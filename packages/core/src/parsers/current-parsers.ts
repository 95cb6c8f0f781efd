import { AppError, type ScrapeConfig } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, eq, isNull } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { readScrapeConfig, type WithSecretKey } from './read-parsers.ts';

const { parsers } = tables;

const MAX_ENTRIES = 10_000;

/** The part of a parser that a scrape needs, at the time of reading. */
export interface CurrentParser {
  id: string;
  version: number;
  scrapeConfig: ScrapeConfig;
  /** Identifies the state that was read. Postgres compares it when the request is submitted. */
  updatedAt: string;
}

export type CurrentParsers = ReturnType<typeof createCurrentParsers>;

/** Caches current versions of parsers. Entries may be outdated, so each use is checked by its `updatedAt`. */
export function createCurrentParsers(services: WithSecretKey & { db: Database }) {
  const entries = new LRUCache<string, CurrentParser, { accountId: string; id: string }>({
    max: MAX_ENTRIES,
    // An entry that is forgotten while it is read still answers those that wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { accountId, id } }) => {
      const [row] = await services.db.orm
        .select({
          id: parsers.id,
          version: parsers.version,
          scrapeConfig: parsers.scrapeConfig,
          updatedAt: parsers.updatedAt,
        })
        .from(parsers)
        .where(and(eq(parsers.id, id), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)));
      if (!row) throw new AppError('not_found');
      const { version, updatedAt } = row;
      return { id, version, scrapeConfig: readScrapeConfig(services, row), updatedAt };
    },
  });
  return {
    /** @throws AppError not_found: absent, deleted or another account's */
    read: (accountId: string, id: string): Promise<CurrentParser> =>
      entries.forceFetch(`${accountId}/${id}`, { context: { accountId, id } }),
    /** Removes an outdated entry. */
    forget: (accountId: string, id: string): boolean => entries.delete(`${accountId}/${id}`),
  };
}
