import { AppError } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import { readCell } from '../columns/column-kind.ts';
import { readDatabase } from './database-record.ts';
import { openDatabase, type OpenDatabase, type DatabaseServices } from './database-services.ts';
import { readRows } from './read-rows.ts';
import type { SqlRunner } from './sql-text.ts';
import { readTable, type TableInfo } from './table-info.ts';

/** @throws AppError not_found */
export async function findTable(sql: SqlRunner, schema: string, name: string): Promise<TableInfo> {
  const table = await readTable(sql, schema, name);
  if (!table) throw new AppError('not_found');
  return table;
}

/** @throws AppError not_found, temporarily_unavailable */
export async function openOwnDatabase(ctx: Context<DatabaseServices>, id: string): Promise<OpenDatabase> {
  const { db } = ctx.services;
  return openDatabase(ctx, await readDatabase(db.orm, { accountId: ctx.accountId, id }));
}

export const listRows: Perform<'listRows', DatabaseServices> = async (ctx, { params, query }) => {
  const place = await openOwnDatabase(ctx, params.id);
  return place.read(async (tx) => {
    const table = await findTable(tx, place.schema, params.table);
    const { rows, cursor, hasMore } = await readRows(tx, place.schema, table, {
      filter: query.filter,
      orderBy: query.order_by,
      cursor: query.cursor,
      limit: query.limit,
    });
    return {
      rows: rows.map((cells) =>
        Object.fromEntries(
          table.columns.map(({ name, type }, index) => [name, readCell(cells[index] ?? null, type)]),
        ),
      ),
      pagination: { cursor: hasMore ? cursor : null, has_more: hasMore },
    };
  });
};
