import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { AppError, type dropTable as operation } from '@gleaner/contracts';
import type { DatabaseServices } from './database-services.ts';
import { findTable, openOwnDatabase } from './list-rows.ts';
import { refuseUnfinished } from './refuse-unfinished.ts';
import { quoteTable } from './sql-text.ts';
import { isMarked } from './table-origin.ts';
import type { Perform } from '../../platform/perform.ts';

const DEPENDENT_OBJECTS = '2BP01';

/**
 * In an external database, drops only tables that a sink created, because sinks also add columns to the owner's tables. A
 * managed database has only tables of sinks.
 */
export const dropTable: Perform<typeof operation, DatabaseServices> = async (ctx, { params }) => {
  const place = await openOwnDatabase(ctx, params.id);
  const { kind, schema } = place;
  const { accountId, services } = ctx;
  await refuseUnfinished(services.db.sql, { accountId, database: params.id, table: params.table });
  try {
    await place.change(async (tx) => {
      const { name } = await findTable(tx, schema, params.table);
      if (kind !== 'managed' && !(await isMarked(tx, { schema, table: name }))) {
        throw new AppError('invalid_request', {
          field: 'table',
          detail: `table ${name} has no mark that a sink created it, so it is not dropped`,
          hint: 'Drop it in the database itself.',
        });
      }
      await tx.unsafe(`DROP TABLE ${quoteTable(schema, name)}`);
    });
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === DEPENDENT_OBJECTS)
      throw new AppError('in_use', { detail: 'a view or constraint depends on the table', cause: error });
    if (code === PG_ERRORS.insufficientPrivilege)
      throw new AppError('invalid_request', {
        field: 'table',
        detail: 'the user of the connection_url may not drop the table',
        cause: error,
      });
    throw error;
  }
};
