import { PG_ERRORS, type Sql } from '@gleaner/db';
import type { TransactionSql } from 'postgres';
import { AppError } from '@gleaner/contracts';
import type { Context, Services } from '../../platform/context.ts';
import type { DatabaseRow } from './database-record.ts';
import { errorCode, isFatal, type ExternalDatabases } from './external-databases.ts';

/** What functions that reach into databases need. */
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

/** Limit on one statement over rows that an account browses or exports. */
const READ_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 10_000;

/** Settings that change how Postgres writes values: an account's own server may have any. */
const FORMATS = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`;

function explain(error: unknown): unknown {
  const code = errorCode(error);
  if (code === PG_ERRORS.queryCanceled) {
    return new AppError('temporarily_unavailable', {
      detail: 'the query took too long',
      hint: 'Filter or order by the key, or read through the export.',
      cause: error,
    });
  }
  return code === PG_ERRORS.lockNotAvailable
    ? new AppError('temporarily_unavailable', {
        detail: 'the table is in use',
        retryAfterSeconds: 5,
        cause: error,
      })
    : error;
}

function explainRead(error: unknown): unknown {
  if (isFatal(error)) return error;
  const code = errorCode(error);
  // It was there a moment ago, when its columns were read.
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
 * Where the tables of a database are, and transactions there with limits on time.
 * @throws AppError temporarily_unavailable when an external database doesn't answer
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
