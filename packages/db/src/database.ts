import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema/index.ts';

export type Sql = postgres.Sql;
export type Orm = PostgresJsDatabase<typeof schema>;
/** What a transaction callback is given; queries that must join it take this. */
export type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];
/** Either: for queries that may run in or outside a transaction. */
export type Executor = Orm | Transaction;

export interface Database {
  /**
   * The postgres.js client, for functions of the `engine` schema, COPY and LISTEN. It is shared with drizzle, which
   * turns off its conversions: JSON parameters go in as `${JSON.stringify(x)}::jsonb`, times are text both ways.
   */
  sql: Sql;
  orm: Orm;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Largest number of connections, LISTEN not counted. */
  max?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  statementTimeoutMs?: number;
  /** False: commits don't wait for the disk. For what may be lost with the server's power. Default true. */
  durable?: boolean;
}

/** Opens a pool; connects on first use. */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const sql = postgres(url, {
    max: options.max ?? 10,
    connect_timeout: 5,
    // Its own back-off grows to 20 s: too long for workers that hold results while Postgres restarts.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 0.5),
    idle_timeout: 60,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName ?? 'gleaner',
      statement_timeout: options.statementTimeoutMs ?? 60_000,
      TimeZone: 'UTC',
      ...(options.durable === false ? { synchronous_commit: 'off' } : {}),
    },
  });
  const orm = drizzle(sql, { schema });
  return { sql, orm, close: () => sql.end({ timeout: 5 }) };
}
