import { AppError, META_COLUMNS } from '@gleaner/contracts';
import type { dropTable as operation, OperationInput } from '@gleaner/contracts';
import type { Context } from '../context.ts';
import type { DatabaseServices } from './database-services.ts';
import { errorCode } from './external-databases.ts';
import { findTable, openOwnDatabase } from './list-rows.ts';
import { quoteTable } from './sql-text.ts';

const DEPENDENT_OBJECTS = '2BP01';

/** Tables that no sink made, in an external database, are left alone. */
export const dropTable = async (
  ctx: Context<DatabaseServices>,
  { params }: OperationInput<typeof operation>,
): Promise<void> => {
  const place = await openOwnDatabase(ctx, params.id);
  try {
    await place.change(async (tx) => {
      const table = await findTable(tx, place.schema, params.table);
      const names = new Set(table.columns.map((column) => column.name));
      if (!META_COLUMNS.every((name) => names.has(name))) {
        throw new AppError('invalid_request', {
          field: 'table',
          detail: `table ${table.name} was not made by a sink: drop it in the database itself`,
        });
      }
      await tx.unsafe(`DROP TABLE ${quoteTable(place.schema, table.name)}`);
    });
  } catch (error) {
    if (errorCode(error) === DEPENDENT_OBJECTS)
      throw new AppError('in_use', { detail: 'a view or constraint depends on the table', cause: error });
    throw error;
  }
};
