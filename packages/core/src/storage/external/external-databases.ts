import { AppError } from '@gleaner/contracts';
import { errorCodeOf } from '@gleaner/db';
import { unseal } from '../../platform/secrets/seal.ts';
import { serverMessage } from './server-message.ts';
import { readConnectionUrl, type ConnectionTarget } from './connection-target.ts';
import type { ForeignTransaction, TransactionRows } from './foreign-transaction.ts';
import { createForeignThread, type ForeignAnswer, type ForeignThread } from './foreign-thread.ts';
import { HostileServerError } from './guard-answers.ts';
import { createLanes } from './lanes.ts';

/**
 * The egress decision: resolves a host, rejects forbidden addresses (AppError fetch_failed) and returns the address to
 * connect to.
 */
export type ResolveEgress = (host: string, port: number) => Promise<{ address: string; port: number }>;

/** What is stored of an account's own database. */
export interface ForeignDatabase {
  id: string;
  accountId: string;
  /** Changes with its URL. */
  updatedAt: string;
  /** The sealed URL. */
  connection: Buffer | null;
  host: string | null;
}

/** Connections to the accounts' own Postgres servers. The process closes them at its end. */
export interface ExternalDatabases {
  /**
   * Runs a transaction on a stored external database; without statements it only asks for the schema.
   * @throws AppError temporarily_unavailable when it doesn't respond, or what the server says of a statement
   */
  run(
    database: ForeignDatabase,
    transaction: ForeignTransaction,
  ): Promise<{ rows: TransactionRows; schema: string }>;
  /** Tests a connection before it is stored. Throws AppError invalid_request with field connection_url. */
  probe(accountId: string, target: ConnectionTarget): Promise<void>;
  close(): Promise<void>;
}

/** Runs transactions on one database. */
export function runOn(
  external: ExternalDatabases,
  database: ForeignDatabase,
): (transaction: ForeignTransaction) => Promise<TransactionRows> {
  return async (transaction) => (await external.run(database, transaction)).rows;
}

export interface ExternalOptions {
  /** 64 hexadecimal digits: the configuration's secretKey. */
  secretKey: string | undefined;
  resolveEgress: ResolveEgress;
  /** Time limit of one transaction, including connecting. Default 30 s. */
  timeoutMs?: number;
}

/** A thread without work ends after this time. */
const IDLE_MS = 20_000;
/** More than `createLanes` lets run at the same time. */
const MAX_THREADS = 32;
const MIN_VERSION = 120_000;
const PROBE_MS = 15_000;

export function connectionPlace(databaseId: string): string {
  return `database:${databaseId}`;
}

/** Whether Postgres ended the connection with this error, for example when the user may no longer connect. */
export function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'FATAL';
}

/** Texts for the SQLSTATEs of refused connections, and for network errors. */
const FAULTS: Readonly<Record<string, string>> = {
  '28P01': 'it refused the user or password',
  '3D000': 'the database does not exist',
  '53300': 'it has no free connection',
  '57P03': 'it is starting up or shutting down',
  ENOTFOUND: 'its host name was not found',
  EAI_AGAIN: 'its host name was not found',
  ECONNREFUSED: 'nothing listens at its host and port (connection refused)',
  ETIMEDOUT: 'it did not respond in time',
  EHOSTUNREACH: 'its host can’t be reached',
  ENETUNREACH: 'its host can’t be reached',
  CONNECTION_CLOSED: 'the connection was lost',
  ECONNRESET: 'it closed the connection; a server without TLS does so when TLS is requested',
};

function describeFault(error: unknown): string {
  const code = errorCodeOf(error);
  if (error instanceof AppError) return error.options.detail ?? 'the host may not be reached';
  if (error instanceof Error && error.name === HostileServerError.name) return error.message;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'its answer was too large';
  const known = FAULTS[code];
  if (known !== undefined) return known;
  const message = serverMessage(error);
  // 28000 covers users, databases and pg_hba.conf; only the message distinguishes them.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return `it answered ${code}: ${message}`;
  if (/certificate|self-signed|altnames|SSL|TLS/i.test(`${message}${code}`))
    return 'its TLS certificate was not accepted, or it does not support TLS';
  return 'it did not respond';
}

/** Whether the data or the statement is at fault. Other errors mean that the database is unavailable. */
function isStatementFault(error: unknown): boolean {
  return !isFatal(error) && /^(22|23|42|54|55|3F|40|P0)/.test(errorCodeOf(error));
}

function unusable(detail: string): AppError {
  return new AppError('temporarily_unavailable', { detail, retryable: false });
}

function readSchema({ schema, version }: ForeignAnswer): string {
  if (schema === null) throw unusable('its search_path does not name a schema');
  if (version < MIN_VERSION) throw unusable('it is older than Postgres 12');
  return schema;
}

interface Known {
  thread: ForeignThread;
  version: string;
  target: ConnectionTarget;
  idle: NodeJS.Timeout | undefined;
}

const NOTHING: ForeignTransaction = { mode: 'read only', statements: [] };

export function createExternalDatabases(options: ExternalOptions): ExternalDatabases {
  const { secretKey, resolveEgress, timeoutMs = 30_000 } = options;
  const threads = new Map<string, Known>();
  const inLane = createLanes({ slowMs: timeoutMs / 3 });
  let probes = 0;

  /** The thread of a database, as the one that was used last. */
  const open = (id: string, version: string, readTarget: () => ConnectionTarget): Known => {
    const known = threads.get(id);
    if (known?.version === version) {
      clearTimeout(known.idle);
      threads.delete(id);
      threads.set(id, known);
      return known;
    }
    known?.thread.close();
    for (const { thread } of threads.values()) {
      if (threads.size < MAX_THREADS) break;
      if (thread.running === 0) thread.close();
    }
    const target = readTarget();
    const made: Known = {
      target,
      version,
      idle: undefined,
      thread: createForeignThread(target, () => {
        clearTimeout(made.idle);
        if (threads.get(id) === made) threads.delete(id);
      }),
    };
    threads.set(id, made);
    return made;
  };
  const runOn = async (
    known: Known,
    transaction: ForeignTransaction,
    withinMs: number,
  ): Promise<ForeignAnswer> => {
    try {
      const address = await resolveEgress(known.target.host, known.target.port);
      return await known.thread.run(transaction, address, withinMs);
    } finally {
      clearTimeout(known.idle);
      known.idle = setTimeout(() => {
        if (known.thread.running === 0) known.thread.close();
      }, IDLE_MS).unref();
    }
  };

  return {
    run: async (database, transaction) => {
      let known: Known | undefined;
      try {
        return await inLane({ accountId: database.accountId, databaseId: database.id }, async () => {
          known = open(database.id, database.updatedAt, () =>
            readConnectionUrl(
              unseal(database.connection ?? Buffer.alloc(0), {
                secretKey,
                place: connectionPlace(database.id),
              }),
            ),
          );
          const answer = await runOn(known, transaction, timeoutMs);
          return { rows: answer.rows, schema: readSchema(answer) };
        });
      } catch (error) {
        if (isStatementFault(error)) throw error;
        if (error instanceof AppError && error.code !== 'fetch_failed') throw error;
        known?.thread.kill(new Error('another statement found it unavailable'));
        throw new AppError('temporarily_unavailable', {
          detail: `database ${database.id} (${database.host ?? ''}): ${describeFault(error)}`,
          retryAfterSeconds: 30,
          cause: error,
        });
      }
    },
    probe: async (accountId, target) => {
      const id = `probe ${(probes += 1)}`;
      try {
        await inLane({ accountId, databaseId: id }, async () =>
          readSchema(
            await runOn(
              open(id, '', () => target),
              NOTHING,
              Math.min(timeoutMs, PROBE_MS),
            ),
          ),
        );
      } catch (error) {
        throw new AppError('invalid_request', {
          field: 'connection_url',
          detail: `the database is not available: ${describeFault(error)}`,
          cause: error,
        });
      } finally {
        threads.get(id)?.thread.close();
      }
    },
    close: async () => {
      for (const { thread } of threads.values()) thread.close();
    },
  };
}
