import type { ListQuery } from '@gleaner/contracts';
import { and, desc, lt, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { decodeCursor, encodeCursor, foreignCursor, MAX_INTEGER } from './cursor.ts';
import { countFitting } from './page-bytes.ts';

export interface ListPage<T> {
  items: T[];
  pagination: { cursor: string | null; has_more: boolean };
}

/**
 * Reads one page of a list sorted by id, newest first.
 * @param read returns at most `limit` rows with an id below `beforeId`, greatest id first
 * @param fit returns how many of these rows fit into one response, for rows that may be large
 */
export async function readPage<T extends { id: string | number }>(
  query: ListQuery,
  read: (beforeId: string | undefined, limit: number) => Promise<T[]>,
  fit?: (beforeId: string | undefined, limit: number) => Promise<number>,
): Promise<ListPage<T>> {
  const [before] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
  const beforeId = before === undefined || before === null ? undefined : String(before);
  const limit = fit ? Math.min(query.limit, await fit(beforeId, query.limit)) : query.limit;
  const rows = await read(beforeId, limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  return {
    items,
    pagination: { cursor: hasMore && last ? encodeCursor([last.id]) : null, has_more: hasMore },
  };
}

/** What a query of a list adds: its conditions with that of the cursor, its order and its limit. */
export interface PageOfTable {
  where: SQL | undefined;
  order: SQL;
  limit: number;
}

/** @throws AppError invalid_request (cursor): no row can have this key */
function readKey(key: PgColumn, text: string): string | number {
  if (key.dataType !== 'number') return text;
  const value = Number(text);
  const most = key.getSQLType() === 'integer' ? MAX_INTEGER : Number.MAX_SAFE_INTEGER;
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw foreignCursor();
}

/**
 * Reads one page of the rows of a table that meet the conditions, greatest key first.
 * @param key the column that the rows have as `id`
 * @param select reads the rows of a page
 * @param sizes reads the sizes of the rows of a page in bytes, for rows that may be large
 * @throws AppError invalid_request (cursor)
 */
export function listPage<T extends { id: string | number }>(
  query: ListQuery,
  key: PgColumn,
  conditions: readonly (SQL | undefined)[],
  select: (page: PageOfTable) => PromiseLike<T[]>,
  sizes?: (page: PageOfTable) => PromiseLike<{ size: number }[]>,
): Promise<ListPage<T>> {
  const pageOf = (before: string | undefined, limit: number): PageOfTable => ({
    where: and(...conditions, before === undefined ? undefined : lt(key, readKey(key, before))),
    order: desc(key),
    limit,
  });
  return readPage(
    query,
    async (before, limit) => select(pageOf(before, limit)),
    sizes && (async (before, limit) => countFitting(await sizes(pageOf(before, limit)))),
  );
}
