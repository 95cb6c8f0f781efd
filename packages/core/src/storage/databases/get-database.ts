import { AppError, type getDatabase as operation } from '@gleaner/contracts';
import { readColumnType } from '../columns/sink-column.ts';
import { countRows } from './count-rows.ts';
import { readDatabase, toDatabaseRecord } from './database-record.ts';
import { openDatabase, type DatabaseServices } from './database-services.ts';
import { listTables } from './table-info.ts';
import type { Perform } from '../../platform/perform.ts';

/** Reports an unavailable external database in the record instead of throwing, so that clients can correct it. */
export const getDatabase: Perform<typeof operation, DatabaseServices> = async (ctx, { params }) => {
  const row = await readDatabase(ctx.services.db.orm, { accountId: ctx.accountId, id: params.id });
  const record = toDatabaseRecord(row);
  try {
    const place = await openDatabase(ctx, row);
    const tables = await place.read(async (tx) => {
      const found = await listTables(tx, place.schema);
      const counts = await countRows(tx, place.schema, found);
      return found.map(({ name, columns, key }, index) => ({
        name,
        columns: columns.map((column) => ({ ...column, type: readColumnType(column.type) ?? column.type })),
        key,
        rows: counts[index]?.rows ?? 0,
        rows_exact: counts[index]?.rows_exact ?? false,
      }));
    });
    return { ...record, tables, problem: null };
  } catch (error) {
    if (row.kind === 'postgres' && error instanceof AppError && error.code === 'temporarily_unavailable')
      return { ...record, tables: null, problem: error.options.detail ?? error.message };
    throw error;
  }
};
