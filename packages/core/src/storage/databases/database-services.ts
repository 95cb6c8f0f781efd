import { errorCodeOf, isTransientError, PG_ERRORS, type Sql } from '@gleaner/db';
import { AppError } from '@gleaner/contracts';
import type { Services } from '../../platform/context.ts';
import type { DatabaseRow } from './database-record.ts';
import { isFatal } from '../external/describe-fault.ts';
import { runOn, type ExternalDatabases } from '../external/external-databases.ts';
import {
  runnerOf,
  runTransaction,
  type Statement,
  type TransactionRows,
} from '../external/foreign-transaction.ts';
import { SHORT_LOCK, untilUnlocked } from './short-locks.ts';
import { type SqlRunner, VALUE_FORMATS } from './sql-text.ts';

/** The services of functions that access databases. */
export interface DatabaseServices extends Services {
  external: ExternalDatabases;
}

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** The time limit of one statement that reads rows for an account. */
const READ_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT = '10s';

type Mode = 'read only' | 'read write';

function explain(error: unknown, mode: Mode): unknown {
  if (isFatal(error)) return error;
  const code = errorCodeOf(error);
  if (mode === 'read only' && code === PG_ERRORS.insufficientPrivilege)
    return new AppError('invalid_request', {
      field: 'table',
      detail: 'the user of the connection_url may not read the table',
      cause: error,
    });
  if (code === PG_ERRORS.queryCanceled)
    return new AppError('temporarily_unavailable', {
      detail: 'the query took too long',
      hint: 'Filter or order by the key, or use the export.',
      cause: error,
    });
  // The table or its database was dropped after it was found.
  if (code === PG_ERRORS.undefinedTable || code === PG_ERRORS.invalidSchemaName)
    return new AppError('not_found', { cause: error });
  return isTransientError(error)
    ? new AppError('temporarily_unavailable', {
        detail: 'other work has locked the table',
        retryAfterSeconds: 5,
        cause: error,
      })
    : error;
}

function settings(lockTimeout: string): string {
  return `SET LOCAL statement_timeout = ${READ_TIMEOUT_MS}; SET LOCAL lock_timeout = '${lockTimeout}'; ${VALUE_FORMATS}`;
}
const SETTINGS = settings(LOCK_TIMEOUT);

async function begin<T>(sql: Sql, mode: Mode, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
  const { value } = await sql.begin(mode, async (tx) => {
    // Who reads waits only for changes, which are short.
    await tx.unsafe(mode === 'read only' ? SETTINGS : settings(SHORT_LOCK));
    return { value: await work(tx) };
  });
  return value;
}

/**
 * Opens a database: the schema of its tables, and functions for work with time limits. In a managed database the work is
 * one transaction, in an external one each of its statements is.
 * @throws AppError temporarily_unavailable when an external database doesn't respond
 */
export async function openDatabase(
  { services }: { services: Pick<DatabaseServices, 'db' | 'external'> },
  database: DatabaseRow,
) {
  const { db, external } = services;
  const { kind, id } = database;
  const { schema } =
    kind === 'managed' ? { schema: id } : await external.run(database, { mode: 'read only', statements: [] });
  const inMode =
    (mode: Mode) =>
    async <T>(work: (tx: SqlRunner) => Promise<T>): Promise<T> => {
      try {
        if (kind === 'managed') return await untilUnlocked({ db, schema }, () => begin(db.sql, mode, work));
        return await work(runnerOf(runOn(external, database), mode, SETTINGS));
      } catch (error) {
        throw explain(error, mode);
      }
    };
  /** Runs the statements of one change in one transaction. @returns the rows of each, after those of a first one */
  const transact = async (statements: readonly Statement[]): Promise<TransactionRows> => {
    try {
      if (kind === 'managed') {
        const run = () =>
          runTransaction(db.sql, {
            mode: 'read write',
            statements: [{ text: settings(SHORT_LOCK) }, ...statements],
          });
        return await untilUnlocked({ db, schema }, run);
      }
      const transaction = { mode: 'read write', statements: [{ text: SETTINGS }, ...statements] } as const;
      return (await external.run(database, transaction)).rows;
    } catch (error) {
      throw explain(error, 'read write');
    }
  };
  return { kind, schema, read: inMode('read only'), change: inMode('read write'), transact };
}
