import { randomUUID } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { invalid } from '../../platform/invalid-request.ts';
import type { Perform } from '../../platform/context.ts';
import { isMetaColumn } from '../columns/columns.ts';
import type { DatabaseServices } from '../databases/database-services.ts';
import {
  beginFeed,
  changeFeed,
  endFeed,
  HISTORY_COLUMNS,
  isForeign,
  readFeed,
  type FeedSettings,
} from '../databases/feed-tables.ts';
import { toTableRecords } from '../databases/read-databases.ts';
import { findTable, openOwnDatabase } from '../databases/read-rows.ts';
import { forgetFeed, registerFeed } from '../databases/register-feed.ts';
import type { TableInfo } from '../databases/table-info.ts';
import { encodePlace } from './feed-cursor.ts';
import { edgeOf } from './read-feed-page.ts';

/** @throws AppError invalid_request */
function checkSettings(table: TableInfo, { volatile }: FeedSettings): void {
  if (table.uniques.length === 0)
    throw invalid('table', `table ${table.name} has no unique key, so its changes name no rows`);
  const unknown = volatile.find((name) => !table.columns.some((column) => column.name === name));
  if (unknown !== undefined) throw invalid('volatile', `table ${table.name} has no column ${unknown}`);
  const fixed = volatile.find(
    (name) => table.key.includes(name) || isMetaColumn(name) || HISTORY_COLUMNS.includes(name),
  );
  if (fixed !== undefined)
    throw invalid('volatile', `${fixed} makes no change anyway: it is part of the key or one of ours`);
  const taken = table.columns.find(isForeign);
  if (taken)
    throw invalid(
      'history',
      `column ${taken.name} is ${taken.type}, and tables with history have one of their own`,
      'Rename the column.',
    );
}

function explain(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === PG_ERRORS.insufficientPrivilege)
    return invalid('history', 'the user of the connection_url may not change the table or its schema');
  // The functions of transaction numbers came with it.
  if (code === '42883') return invalid('history', 'the history of a table needs at least Postgres 13');
  return error;
}

/** Turns a table's history on or off, or changes its settings. Repeating it changes nothing. */
export const updateTable: Perform<'updateTable', DatabaseServices> = async (ctx, { params, body }) => {
  const place = await openOwnDatabase(ctx, params.id);
  const { schema } = place;
  const read = () =>
    place.read(async (tx) => {
      const table = await findTable(tx, schema, params.table);
      return { table, feed: await readFeed(tx, schema, table) };
    });
  const { table, feed } = await read();
  const { history = feed !== undefined } = body;
  const settings = {
    volatile: [...new Set(body.volatile ?? feed?.volatile)],
    missing: body.missing ?? feed?.missing ?? 'keep',
  };
  if (!history && (body.volatile !== undefined || body.missing !== undefined))
    throw invalid(
      'history',
      'volatile and missing are settings of a history',
      'Send "history": true with them.',
    );
  const isSame =
    feed?.missing === settings.missing && JSON.stringify(feed.volatile) === JSON.stringify(settings.volatile);
  const { sql } = ctx.services.db;
  try {
    if (history && !isSame) {
      checkSettings(table, settings);
      if (feed) await place.transact(changeFeed(schema, table.name, feed, settings));
      else {
        await registerFeed(sql, { accountId: ctx.accountId, database: params.id, table: table.name });
        await place.transact(beginFeed(schema, table.name, randomUUID(), settings));
      }
    } else if (!history && feed) {
      await place.transact(endFeed(schema, table.name, feed));
      await forgetFeed(sql, params.id, table.name);
    }
  } catch (error) {
    throw explain(error);
  }
  return place.read(async (tx) => {
    const found = await findTable(tx, schema, params.table);
    const now = await readFeed(tx, schema, found);
    const [record] = await toTableRecords(tx, schema, [found]);
    if (!record) throw new AppError('not_found', { field: 'table' });
    const end = now && (await edgeOf(tx, schema, now.id, 'end'));
    return { ...record, cursor: end ? encodePlace({ database: params.id, table: found.name }, end) : null };
  });
};
