import type { ListQuery } from '@gleaner/contracts';
import { decodeCursor, encodeCursor } from './cursor.ts';

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
