import { invalid } from '../invalid-request.ts';
import { type AppError, findUnstorable, type ListQuery, MAX_INTEGER } from '@gleaner/contracts';
import { and, desc, getTableName, lt, type SQL, or, sql, type SQLWrapper } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** The maximum text of one page, because a page must fit into memory. A larger first row is still returned. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** How many rows of these sizes, in order, fit on a page; at least one. */
export function countFitting(rows: readonly { size: number }[], mostBytes = MAX_PAGE_BYTES): number {
  let total = 0;
  const end = rows.findIndex(({ size }) => (total += size) > mostBytes);
  return Math.max(1, end === -1 ? rows.length : end);
}

/**
 * Encodes the sort values of the last row of a page. Opaque to clients.
 * @param list the name of the list. Another list refuses the cursor, because its place means something else there
 */
export function encodeCursor(list: string, values: readonly (string | number | null)[]): string {
  return `${list}.${Buffer.from(JSON.stringify(values)).toString('base64url')}`;
}

/**
 * @param list the same name. Cursors of earlier versions have none
 * @param length the number of values in a cursor of this list
 * @throws AppError invalid_request with field `cursor`
 */
export function decodeCursor(list: string, cursor: string, length: number): (string | number | null)[] {
  const dot = cursor.indexOf('.');
  if (dot >= 0 && cursor.slice(0, dot) !== list) throw foreignCursor();
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor.slice(dot + 1), 'base64url').toString('utf8'));
    if (
      Array.isArray(values) &&
      values.length === length &&
      // Postgres could not compare such a value.
      findUnstorable(values) === undefined &&
      values.every((value) => value === null || typeof value === 'string' || typeof value === 'number')
    )
      return values as (string | number | null)[];
  } catch {
    // falls through to the error below
  }
  throw foreignCursor();
}

export function foreignCursor(): AppError {
  return invalid(
    'cursor',
    'this is not a cursor of this list',
    'Send the cursor of the previous page (`pagination.cursor` in lists of records, else `cursor`), unchanged.',
  );
}

/**
 * Decodes a cursor of places, which are compared with columns of type `integer`; -1 is before the first one.
 * @throws AppError invalid_request with field `cursor`
 */
export function decodePlaces(list: string, cursor: string, length: number): number[] {
  return decodeCursor(list, cursor, length).map((value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= -1 && value <= MAX_INTEGER)
      return value;
    throw foreignCursor();
  });
}

export interface ListPage<T> {
  items: T[];
  pagination: { cursor: string | null; has_more: boolean };
}

/**
 * Reads one page of a list sorted by id, newest first.
 * @param list the name that its cursors have
 * @param read returns at most `limit` rows with an id below `beforeId`, greatest id first
 * @param fit returns how many of these rows fit into one response, for rows that may be large
 */
export async function readPage<T extends { id: string | number }>(
  list: string,
  query: ListQuery,
  read: (beforeId: string | undefined, limit: number) => Promise<T[]>,
  fit?: (beforeId: string | undefined, limit: number) => Promise<number>,
): Promise<ListPage<T>> {
  const [before] = query.cursor === undefined ? [] : decodeCursor(list, query.cursor, 1);
  const beforeId = before === undefined || before === null ? undefined : String(before);
  const limit = fit ? Math.min(query.limit, await fit(beforeId, query.limit)) : query.limit;
  const rows = await read(beforeId, limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  return {
    items,
    pagination: { cursor: hasMore && last ? encodeCursor(list, [last.id]) : null, has_more: hasMore },
  };
}

/** A query of drizzle's without conditions. */
interface Select<T> {
  where(where: SQL | undefined): { orderBy(order: SQL): { limit(limit: number): PromiseLike<T[]> } };
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
 * @param select the query of the rows
 * @param sizes the query of their sizes in bytes, for rows that may be large
 * @throws AppError invalid_request (cursor)
 */
export function listPage<T extends { id: string | number }>(
  query: ListQuery,
  key: PgColumn,
  conditions: readonly (SQL | undefined)[],
  select: Select<T>,
  sizes?: Select<{ size: number }>,
): Promise<ListPage<T>> {
  const read = async <R>(from: Select<R>, before: string | undefined, limit: number): Promise<R[]> =>
    from
      .where(and(...conditions, before === undefined ? undefined : lt(key, readKey(key, before))))
      .orderBy(desc(key))
      .limit(limit);
  return readPage(
    getTableName(key.table),
    query,
    (before, limit) => read(select, before, limit),
    sizes && (async (before, limit) => countFitting(await read(sizes, before, limit))),
  );
}

/** The condition of a list's `search`: part of the name, or the whole identifier or slug. Undefined without one. */
export function matchesSearch(
  search: string | undefined,
  columns: { id: SQLWrapper; name: SQLWrapper; slug?: SQLWrapper },
): SQL | undefined {
  const text = search?.trim() ?? '';
  if (text === '') return undefined;
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { id, name, slug } = columns;
  return or(sql`${name} ILIKE ${pattern}`, sql`${id} = ${text}`, slug && sql`${slug} = ${text}`);
}
