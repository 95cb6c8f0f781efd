import { errorCodeOf } from '@gleaner/db';
import { decodeCursor, encodeCursor } from '../../platform/lists/page.ts';
import { invalid } from '../../platform/invalid-request.ts';
import type { Perform } from '../../platform/context.ts';
import { cellText } from '../databases/cell-text.ts';
import { feedTable, readFeed } from '../databases/feed-tables.ts';
import type { DatabaseServices } from '../databases/database-services.ts';
import { findTable, openOwnDatabase } from '../databases/read-rows.ts';
import { quoteLiteral } from '../databases/sql-text.ts';
import type { TableInfo } from '../databases/table-info.ts';
import { withoutHistory } from './read-changes.ts';
import { CHANGE_COLUMNS, type StoredChange } from './read-feed-page.ts';
import { toChange } from './show-change.ts';
import { findUnstorable, parseExactJson } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';

/** The values of the key's columns as texts. @throws AppError invalid_request (key) */
function readKey(table: TableInfo, text: string): string[] {
  const names = `a JSON object with ${table.key.join(', ')}`;
  let given: unknown;
  try {
    given = parseExactJson(text);
  } catch {
    throw invalid('key', `must be ${names}`);
  }
  if (
    !isObject(given) ||
    Object.keys(given).length !== table.key.length ||
    findUnstorable(given) !== undefined
  )
    throw invalid('key', `must be ${names}`);
  return table.key.map((name) => {
    const value = given[name];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return String(value);
    throw invalid('key', `must be ${names}`);
  });
}

/** The kept changes of one row: its key's commits wait for each other, so they have the order of the changes' numbers. */
export const getRowHistory: Perform<'getRowHistory', DatabaseServices> = async (ctx, { params, query }) => {
  const place = await openOwnDatabase(ctx, params.id);
  return place.read(async (tx) => {
    const table = await findTable(tx, place.schema, params.table);
    const feed = await readFeed(tx, place.schema, table);
    if (!feed) throw withoutHistory(table.name);
    const values = readKey(table, query.key);
    const [after] = query.cursor === undefined ? ['0'] : decodeCursor('history', query.cursor, 1).map(String);
    if (after === undefined || !/^\d{1,18}$/.test(after))
      throw invalid('cursor', 'this is not a cursor of this list');
    const key = table.key.map((name, index) => {
      const type = table.columns.find((column) => column.name === name)?.type ?? 'text';
      return `${quoteLiteral(name)}, ${cellText(`($${index + 3}::text::${type})`, type)}`;
    });
    const rows = await tx
      .unsafe<StoredChange[]>(
        `SELECT c.position::text AS position, g.no::text AS no, ${CHANGE_COLUMNS}
        FROM ${feedTable(place.schema, 'changes')} g JOIN ${feedTable(place.schema, 'commits')} c
          ON c.tx = g.tx AND c.feed = g.feed AND g.no BETWEEN c.first AND c.last
        WHERE g.key = jsonb_build_object(${key.join(', ')}) AND g.feed = $1 AND g.no > $2::text::bigint
        ORDER BY g.no LIMIT ${query.limit + 1}`,
        [feed.id, after, ...values],
      )
      // eslint-disable-next-line promise/prefer-await-to-then
      .then(undefined, (error: unknown) => {
        throw errorCodeOf(error).startsWith('22')
          ? invalid('key', 'has a value that its column can’t have')
          : error;
      });
    const hasMore = rows.length > query.limit;
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    return {
      changes: page.map((row) => toChange(row, table.columns)),
      pagination: { cursor: hasMore && last ? encodeCursor('history', [last.no]) : null, has_more: hasMore },
    };
  });
};
