import {
  createKeyedTurns,
  toStorableJsonText,
  toStorableText,
  withTimeout,
  type KeyedTurns,
} from '@gleaner/contracts';
import { sql as query } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { addArrayTypes } from './array-types.ts';
import { withFreshClients } from './fresh-client.ts';

export type Sql = postgres.Sql;
export type Orm = PostgresJsDatabase;
/** The argument of a transaction's callback. Pass it to queries that belong to the transaction. */
export type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];
/** Either: for queries that may run in or outside a transaction. */
export type Executor = Orm | Transaction;

export interface Database {
  /**
   * The postgres.js client, for functions of the schema `ENGINE` and COPY. It is shared with drizzle, which disables its
   * conversions: JSON parameters go in as `${toStorableJson(x)}::jsonb`, times are text both ways. It may go
   * through a pooler, so nothing may depend on the session: no SET, LISTEN or session lock outside a transaction.
   */
  sql: Sql;
  orm: Orm;
  /**
   * Runs work that waits for the lock of an account, which is the key. Work of one key holds at most a quarter of the
   * pool's connections (two of three to eleven), so that one locked account leaves connections to the others.
   */
  inTurn: KeyedTurns;
  /**
   * Runs a transaction that may lock an account. Postgres ends it after 5 s, whatever it waits for: a lock, or a process
   * that stands still between two statements.
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The URL past any pooler. With the password: never log it. */
  directUrl: string;
  /** Where the server is, past any pooler: for logins that others use. */
  address: { host: string; port: number; database: string };
  /**
   * Runs work on a new connection past any pooler, and closes it afterwards: for settings that last longer than
   * a transaction, and for statements such as REINDEX CONCURRENTLY that run outside one.
   */
  withSession<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const DEFAULT_CONNECTIONS = 10;

export interface DatabaseOptions {
  /** Largest number of connections. */
  max?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /**
   * A URL past the pooler of `url`. When it differs from `url`, connections to `url` avoid the features that a pooler
   * in transaction mode refuses: named prepared statements and startup parameters that it doesn't track.
   */
  directUrl?: string;
  /** How long the server may take to connect, or be silent. Default 5 s. */
  patienceMs?: number;
}

/**
 * The longest that a statement may run. Without a pooler it is set at connect; with one `migrate` sets it for the user,
 * because poolers refuse it at connect.
 */
export const STATEMENT_TIMEOUT_MS = 60_000;
/** The longest that a transaction may hold an account. */
const TRANSACTION_TIMEOUT_MS = 5_000;
/** And wait for a lock: an error, after which the connection can still be used. */
const LOCK_TIMEOUT_MS = 3_000;

const SET_LIMITS = query`SELECT set_config('transaction_timeout', ${`${TRANSACTION_TIMEOUT_MS}`}, true),
  set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true)`;

/** The ids of these types in every Postgres. */
const JSON_TYPE = 114;
const JSONB_TYPE = 3802;

function toText(value: unknown): string {
  return toStorableText(String(value));
}

/** The watch for a silent server gives up before the driver does. */
const PATIENCE_OF_DRIVER = 6;

/** @param isWatched statements fail soon when the server does not answer any more; none may run for longer than a minute */
function open(url: string, options: DatabaseOptions, { isPooled = false, isWatched = false } = {}): Sql {
  const { patienceMs = 5_000 } = options;
  const settings = {
    max: options.max ?? DEFAULT_CONNECTIONS,
    // A timer of postgres.js ends connections of a loop that is starved; the watch lets it read first.
    connect_timeout: (patienceMs / 1_000) * (isWatched ? PATIENCE_OF_DRIVER : 1),
    // Its own back-off grows to 20 s: too long for workers that hold results while Postgres restarts.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 0.5),
    idle_timeout: 60,
    onnotice: (): undefined => undefined,
    prepare: !isPooled,
    fetch_types: false,
    // A text of a page, a client or another server may contain NUL, for which Postgres refuses the whole statement.
    types: { text: { to: 25, from: [], serialize: toText, parse: toText } },
    connection: {
      application_name: options.applicationName ?? 'gleaner',
      TimeZone: 'UTC',
      ...(isPooled ? {} : { statement_timeout: STATEMENT_TIMEOUT_MS }),
    },
  };
  const probe = async (): Promise<void> => {
    const client = postgres(url, { ...settings, max: 1 });
    const endsLate = withTimeout(client`SELECT 1`, patienceMs * PATIENCE_OF_DRIVER, () => undefined);
    await endsLate.finally(() => client.end({ timeout: 0 }));
  };
  const connect = (): Sql => {
    const client = postgres(url, settings);
    addArrayTypes(client.options);
    return client;
  };
  return withFreshClients(connect, isWatched ? { probe, patienceMs } : undefined);
}

/** How many of `max` connections the work of one key may hold. */
function connectionsOfKey(max: number): number {
  return Math.max(1, Math.min(max - 1, Math.max(2, Math.floor(max / 4))));
}

/** Opens a pool; connects on first use. */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { directUrl = url } = options;
  const sql = open(url, options, { isPooled: directUrl !== url, isWatched: true });
  const orm = drizzle(sql);
  // Drizzle sends JSON as text, and turns off conversions of these types.
  for (const type of [JSON_TYPE, JSONB_TYPE])
    sql.options.serializers[type] = (value: unknown) => toStorableJsonText(String(value));
  const { host, port, database } = directUrl === url ? sql.options : open(directUrl, options).options;
  return {
    sql,
    orm,
    transact: (work) =>
      orm.transaction(async (tx) => {
        // It travels with the first statement of the work.
        const limit = tx.execute(SET_LIMITS).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        const result = await work(tx);
        const failed = await limit;
        if (failed !== undefined) throw failed.error;
        return result;
      }),
    inTurn: createKeyedTurns(connectionsOfKey(options.max ?? DEFAULT_CONNECTIONS)),
    directUrl,
    address: { host: host[0] ?? 'localhost', port: port[0] ?? 5432, database },
    withSession: async (work) => {
      const session = open(directUrl, { ...options, max: 1 });
      try {
        return await work(session);
      } finally {
        await session.end({ timeout: 5 });
      }
    },
    close: () => sql.end({ timeout: 5 }),
  };
}
