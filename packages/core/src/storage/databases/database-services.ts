import { errorCodeOf, PG_ERRORS, type Sql } from '@gleaner/db';
import type { TransactionSql } from 'postgres';
import { AppError } from '@gleaner/contracts';
import type { Context, Services } from '../../platform/context.ts';
import type { DatabaseRow } from './database-record.ts';
import { isFatal, type ExternalDatabases } from './external-databases.ts';

/** The services of functions that access databases. */
export interface DatabaseServices extends Services {
  external: ExternalDatabases;
}

type Change = <T>(work: (tx: TransactionSql) => Promise<T>) => Promise<T>;

export interface OpenDatabase {
  kind: DatabaseRow['kind'];
  schema: string;
  read: Change;
  change: Change;
}

/** The time limit of one statement that reads rows for an account. */
const READ_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 10_000;

/** Settings of the format of values, which an account's own server may have changed. */
const FORMATS = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`;

function explain(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === PG_ERRORS.queryCanceled) {
    return new AppError('temporarily_unavailable', {
      detail: 'the query took too long',
      hint: 'Filter or order by the key, or use the export.',
      cause: error,
    });
  }
  return code === PG_ERRORS.lockNotAvailable
    ? new AppError('temporarily_unavailable', {
        detail: 'other work has locked the table',
        retryAfterSeconds: 5,
        cause: error,
      })
    : error;
}

function explainRead(error: unknown): unknown {
  if (isFatal(error)) return error;
  const code = errorCodeOf(error);
  // The table was dropped after its columns were read.
  if (code === PG_ERRORS.undefinedTable) return new AppError('not_found', { cause: error });
  return code === PG_ERRORS.insufficientPrivilege
    ? new AppError('invalid_request', {
        field: 'table',
        detail: 'the user of the connection_url may not read the table',
        cause: error,
      })
    : error;
}

async function begin<T>(
  sql: Sql,
  mode: 'read only' | 'read write',
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  try {
    const { value } = await sql.begin(mode, async (tx) => {
      await tx.unsafe(
        `SET LOCAL statement_timeout = ${READ_TIMEOUT_MS}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${FORMATS}`,
      );
      return { value: await work(tx) };
    });
    return value;
  } catch (error) {
    throw explain(mode === 'read only' ? explainRead(error) : error);
  }
}

/**
 * Opens a database: the schema of its tables, and a function for transactions with time limits.
 * @throws AppError temporarily_unavailable when an external database doesn't respond
 */
export async function openDatabase(
  { services }: Context<DatabaseServices>,
  database: DatabaseRow,
): Promise<OpenDatabase> {
  const { db, external } = services;
  if (database.kind === 'managed') {
    return {
      kind: database.kind,
      schema: database.id,
      read: (work) => begin(db.sql, 'read only', work),
      change: (work) => begin(db.sql, 'read write', work),
    };
  }
  return {
    kind: database.kind,
    schema: await external.use(database, (_, schema) => Promise.resolve(schema)),
    read: (work) => external.use(database, (sql) => begin(sql, 'read only', work)),
    change: (work) => external.use(database, (sql) => begin(sql, 'read write', work)),
  };
}
