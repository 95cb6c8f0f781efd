import type { Services } from '../../platform/context.ts';
import { readDatabase } from '../databases/database-record.ts';
import { runOn, type ExternalDatabases } from '../external/external-databases.ts';
import {
  runTransaction,
  type ForeignTransaction,
  type TransactionRows,
} from '../external/foreign-transaction.ts';

export type SchemaServices = Pick<Services, 'db'> & { external: ExternalDatabases };

/**
 * The schema with the tables of a database, for a duty of the service.
 * @throws AppError not_found, temporarily_unavailable
 */
export async function openSchema(
  { db, external }: SchemaServices,
  accountId: string,
  id: string,
): Promise<{ schema: string; run(transaction: ForeignTransaction): Promise<TransactionRows> }> {
  const database = await readDatabase(db.orm, { accountId, id });
  if (database.kind === 'managed')
    return { schema: id, run: (transaction) => runTransaction(db.sql, transaction) };
  const { schema } = await external.run(database, { mode: 'read only', statements: [] });
  return { schema, run: runOn(external, database) };
}
