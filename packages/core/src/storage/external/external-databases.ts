import { createKeyedTurns, createTurns, AppError } from '@gleaner/contracts';
import { unseal } from '../../platform/secrets/seal.ts';
import type { tables } from '@gleaner/db';
import { readConnectionUrl, type ConnectionTarget } from './connection-target.ts';
import type { ForeignTransaction, TransactionRows } from './foreign-transaction.ts';
import { createForeignThread, type ForeignReply, type ForeignThread } from './foreign-thread.ts';
import { describeFault, isStatementFault } from './describe-fault.ts';

/** Transactions at the same time, of all databases of this process and of one account. */
const LANES = 16;
export const LANES_OF_ACCOUNT = 4;
/** The same for accounts with a slow server; of each of their databases one. */
const SLOW_LANES = 8;
const SLOW_LANES_OF_ACCOUNT = 2;
/** How long an account counts as slow. */
const SLOW_FOR_MS = 300_000;

interface Owner {
  accountId: string;
  databaseId: string;
}

/** @param signal aborted when the work has waited for its turn as long as it may */
export type Lanes = <T>(owner: Owner, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Shares the transactions of this process among accounts. An account one of whose servers was slow has lanes apart for a while,
 * so that servers which don't answer keep only each other waiting.
 * @param slowMs a transaction that takes this long is slow
 */
export function createLanes({ slowMs }: { slowMs: number }): Lanes {
  const slowUntil = new Map<string, number>();
  const ofAccount = createKeyedTurns(LANES_OF_ACCOUNT);
  const ofAll = createTurns(LANES);
  const ofSlowDatabase = createKeyedTurns(1);
  const ofSlowAccount = createKeyedTurns(SLOW_LANES_OF_ACCOUNT);
  const ofAllSlow = createTurns(SLOW_LANES);

  const isSlow = (accountId: string): boolean => {
    const until = slowUntil.get(accountId);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    slowUntil.delete(accountId);
    return false;
  };
  const timed = async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      if (now - from >= slowMs) slowUntil.set(accountId, now + SLOW_FOR_MS);
    }
  };
  const inSlowLane: Lanes = ({ accountId, databaseId }, work, signal) => {
    const ofAllOthers = () => ofAllSlow(() => timed(accountId, work), signal);
    return ofSlowDatabase(databaseId, () => ofSlowAccount(accountId, ofAllOthers, signal), signal);
  };

  return async (owner, work, signal) => {
    const { accountId } = owner;
    // Another transaction can turn out to be slow while this one waits for its turn, so it looks again.
    const ofOthers = () =>
      ofAll(async () => (isSlow(accountId) ? undefined : { value: await timed(accountId, work) }), signal);
    const answer = await ofAccount(accountId, ofOthers, signal);
    return answer === undefined ? inSlowLane(owner, work, signal) : answer.value;
  };
}

/**
 * The egress decision: resolves a host, rejects forbidden addresses (AppError fetch_failed) and returns the address to
 * connect to.
 */
export type ResolveEgress = (host: string, port: number) => Promise<{ address: string; port: number }>;

/** What is stored of an account's own database. `updatedAt` changes with its sealed URL. */
type ForeignDatabase = Pick<
  typeof tables.databases.$inferSelect,
  'id' | 'accountId' | 'updatedAt' | 'connection' | 'host'
>;

export type ExternalDatabases = ReturnType<typeof createExternalDatabases>;

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
  /** Time limit of one transaction, including connecting, and of the wait for its turn. Default 30 s. */
  timeoutMs?: number;
}

/** A thread without work ends after this time. */
const IDLE_MS = 20_000;
/** `createLanes` lets fewer run at the same time. */
const MAX_THREADS = 32;
const MIN_VERSION = 120_000;
const PROBE_MS = 15_000;

export function connectionPlace(databaseId: string): string {
  return `database:${databaseId}`;
}

function unusable(detail: string): AppError {
  return new AppError('temporarily_unavailable', { detail, retryable: false });
}

function readSchema({ schema, version }: ForeignReply): string {
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

/** One thread for each database that is in use; those without work end after a while. */
function createThreads(resolveEgress: ResolveEgress) {
  const threads = new Map<string, Known>();
  let isClosed = false;

  const make = (id: string, version: string, target: ConnectionTarget): Known => {
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

  return {
    /** The thread of a database, as the one that was used last. */
    open: (id: string, version: string, readTarget: () => ConnectionTarget): Known => {
      // Transactions that waited for a lane come now.
      if (isClosed) throw new AppError('temporarily_unavailable', { detail: 'this process ends' });
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
      return make(id, version, readTarget());
    },
    run: async (known: Known, transaction: ForeignTransaction, withinMs: number): Promise<ForeignReply> => {
      try {
        const address = await resolveEgress(known.target.host, known.target.port);
        return await known.thread.run(transaction, address, withinMs);
      } finally {
        clearTimeout(known.idle);
        known.idle = setTimeout(() => {
          if (known.thread.running === 0) known.thread.close();
        }, IDLE_MS).unref();
      }
    },
    close: (id?: string): void => {
      isClosed ||= id === undefined;
      for (const [known, { thread }] of threads) if (id === undefined || known === id) thread.close();
    },
  };
}

const NOTHING: ForeignTransaction = { mode: 'read only', statements: [] };

/** Connections to the accounts' own Postgres servers. The process closes them at its end. */
export function createExternalDatabases(options: ExternalOptions) {
  const { secretKey, resolveEgress, timeoutMs = 30_000 } = options;
  const threads = createThreads(resolveEgress);
  const inLane = createLanes({ slowMs: timeoutMs / 3 });
  let probes = 0;

  const readTarget = ({ id, connection }: ForeignDatabase): ConnectionTarget =>
    readConnectionUrl(unseal(connection ?? Buffer.alloc(0), { secretKey, place: connectionPlace(id) }));

  return {
    /**
     * Runs a transaction on a stored external database; without statements it only asks for the schema.
     * @throws AppError temporarily_unavailable when it doesn't respond, or what the server says of a statement
     */
    run: async (
      database: ForeignDatabase,
      transaction: ForeignTransaction,
    ): Promise<{ rows: TransactionRows; schema: string }> => {
      const { id, accountId, updatedAt, host } = database;
      let known: Known | undefined;
      try {
        const work = async () => {
          known = threads.open(id, updatedAt, () => readTarget(database));
          const answer = await threads.run(known, transaction, timeoutMs);
          return { rows: answer.rows, schema: readSchema(answer) };
        };
        return await inLane({ accountId, databaseId: id }, work, AbortSignal.timeout(timeoutMs));
      } catch (error) {
        if (isStatementFault(error)) throw error;
        if (error instanceof AppError && error.code !== 'fetch_failed') throw error;
        known?.thread.kill(new Error('another statement found it unavailable'));
        if (error instanceof AppError && error.options.hint !== undefined && !error.retryable)
          throw new AppError('invalid_request', {
            detail: `database ${id} (${host ?? ''}): the egress guard refuses its address: ${describeFault(error)}`,
            hint: error.options.hint,
            cause: error,
          });
        throw new AppError('temporarily_unavailable', {
          detail: `database ${id} (${host ?? ''}): ${describeFault(error)}`,
          retryAfterSeconds: 30,
          cause: error,
        });
      }
    },
    /** Tests a connection before it is stored. Throws AppError invalid_request with field connection_url. */
    probe: async (accountId: string, target: ConnectionTarget): Promise<void> => {
      const id = `probe ${(probes += 1)}`;
      try {
        const work = async () => {
          const known = threads.open(id, '', () => target);
          readSchema(await threads.run(known, NOTHING, Math.min(timeoutMs, PROBE_MS)));
        };
        await inLane({ accountId, databaseId: id }, work, AbortSignal.timeout(timeoutMs));
      } catch (error) {
        throw new AppError('invalid_request', {
          field: 'connection_url',
          detail: `the database is not available: ${describeFault(error)}`,
          hint: error instanceof AppError ? error.options.hint : undefined,
          cause: error,
        });
      } finally {
        threads.close(id);
      }
    },
    close: async (): Promise<void> => threads.close(),
  };
}
