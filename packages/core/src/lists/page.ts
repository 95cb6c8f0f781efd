import type { ListQuery } from '@gleaner/contracts';
import { decodeCursor, encodeCursor } from './cursor.ts';

export interface Page<T> {
  items: T[];
  pagination: { cursor: string | null; has_more: boolean };
}

/**
 * One page of a list sorted by id, newest first.
 * @param read gives at most `limit` rows whose id is below `beforeId`, greatest id first
 */
export const readPage = async <T extends { id: string | number }>(
  query: ListQuery,
  read: (beforeId: string | undefined, limit: number) => Promise<T[]>,
): Promise<Page<T>> => {
  const [before] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
  const rows = await read(
    before === undefined || before === null ? undefined : String(before),
    query.limit + 1,
  );
  const items = rows.slice(0, query.limit);
  const last = items.at(-1);
  const hasMore = rows.length > query.limit;
  return {
    items,
    pagination: { cursor: hasMore && last ? encodeCursor([last.id]) : null, has_more: hasMore },
  };
};
