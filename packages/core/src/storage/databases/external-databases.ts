import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { AppError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import postgres from 'postgres';
import { unseal } from '../../platform/secrets/seal.ts';
import { boundAnswers } from './bound-answers.ts';
import { readConnectionUrl, type ConnectionTarget } from './connection-target.ts';
import type { DatabaseRow } from './database-record.ts';
import { serverMessage } from './server-message.ts';

/**
 * The egress decision: resolves a host, refuses what may not be reached (AppError fetch_failed) and gives the
 * address to connect to.
 */
export type ResolveEgress = (host: string, port: number) => Promise<{ address: string; port: number }>;

/** Connections to the accounts' own Postgres servers: a resource of the process, closed at its end. */
export interface ExternalDatabases {
  /** Runs queries on a stored external database. Throws AppError temporarily_unavailable when it doesn't answer. */
  use<T>(database: DatabaseRow, work: (sql: Sql, schema: string) => Promise<T>): Promise<T>;
  /** Tries a connection before it is stored. Throws AppError invalid_request with field connection_url. */
  probe(target: ConnectionTarget): Promise<void>;
  close(): Promise<void>;
}

export interface ExternalOptions {
  /** 64 hexadecimal digits: the configuration's secretKey. */
  secretKey: string | undefined;
  resolveEgress: ResolveEgress;
  /** Limit on one use, connecting included. Default 30 s. */
  timeoutMs?: number;
}

const CONNECT_TIMEOUT_SECONDS = 10;
const IDLE_TIMEOUT_SECONDS = 20;
/** Per database and process. */
const MAX_CONNECTIONS = 3;
const MAX_POOLS = 200;
const MIN_VERSION = 120_000;

export function connectionPlace(databaseId: string): string {
  return `database:${databaseId}`;
}

function tlsOptions({ sslMode, host }: ConnectionTarget) {
  if (sslMode === 'disable') return false;
  if (sslMode === 'require') return 'require';
  if (sslMode === 'allow' || sslMode === 'prefer') return 'prefer';
  return {
    rejectUnauthorized: true,
    servername: isIP(host) === 0 ? host : undefined,
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      sslMode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
  };
}

/** Connects to the pinned address; postgres.js reads `host` from the socket for the TLS server name. */
async function connectPinned(target: ConnectionTarget, resolveEgress: ResolveEgress): Promise<Socket> {
  const { address, port } = await resolveEgress(target.host, target.port);
  const socket = connect({ host: address, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new Error('connect timed out')),
      CONNECT_TIMEOUT_SECONDS * 1000,
    );
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
  socket.removeAllListeners('error');
  return Object.assign(socket, { host: target.host, port: target.port });
}

/** What the types of postgres.js 3.4 leave out: the function that opens its sockets. */
type Settings = postgres.Options<Record<string, postgres.PostgresType>> & { socket: () => Promise<Socket> };

function openPool(target: ConnectionTarget, options: ExternalOptions, max: number): Sql {
  const { host, port, database, user, password } = target;
  const settings: Settings = {
    host,
    port,
    database,
    user,
    password,
    max,
    ssl: tlsOptions(target),
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    idle_timeout: IDLE_TIMEOUT_SECONDS,
    max_lifetime: 600,
    fetch_types: false,
    // Poolers in transaction mode, which many hosted services put in front, know no named statements.
    prepare: false,
    backoff: () => 0,
    onnotice: () => undefined,
    connection: { application_name: 'gleaner', TimeZone: 'UTC' },
    socket: async () => boundAnswers(await connectPinned(target, options.resolveEgress)),
  };
  return postgres(settings);
}

/** SQLSTATE of a Postgres error, or the code of a network error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether Postgres ended the connection with it, as when the user may not connect to the database any more. */
export function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'FATAL';
}

/** What is told of SQLSTATEs of a refused connection, and of network errors. */
const FAULTS: Readonly<Record<string, string>> = {
  '28P01': 'it refused the user or password',
  '3D000': 'there is no such database',
  '53300': 'it has no connection free',
  '57P03': 'it is starting up or shutting down',
  ENOTFOUND: 'its host name was not found',
  EAI_AGAIN: 'its host name was not found',
  ECONNREFUSED: 'nothing listens at its host and port (connection refused)',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'its host can’t be reached',
  ENETUNREACH: 'its host can’t be reached',
  CONNECTION_CLOSED: 'the connection broke off',
  ECONNRESET: 'it ended the connection, as a server without TLS does when TLS is asked of it',
};

function describeFault(error: unknown): string {
  const code = errorCode(error) ?? '';
  if (error instanceof AppError) return error.options.detail ?? 'the host may not be reached';
  const known = FAULTS[code];
  if (known !== undefined) return known;
  const message = serverMessage(error);
  // 28000 is said of users, of databases and of pg_hba.conf: only the message tells which.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return `it answered ${code}: ${message}`;
  if (/certificate|self-signed|altnames|SSL|TLS/i.test(`${message}${code}`))
    return 'its TLS certificate was not accepted, or it speaks no TLS';
  return 'it did not answer';
}

/** Data faults and statements' own faults are the caller's; the rest means that the database is away. */
function isStatementFault(error: unknown): boolean {
  return !isFatal(error) && /^(22|23|42|54|55|3F|40|P0)/.test(errorCode(error) ?? '');
}

async function withDeadline<T>(sql: Sql, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('timed out'));
      sql.end({ timeout: 0 }).catch(() => undefined);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function unusable(detail: string): AppError {
  return new AppError('temporarily_unavailable', { detail, retryable: false });
}

async function readSchema(sql: Sql): Promise<string> {
  const [row] = await sql<
    { schema: string | null; version: number }[]
  >`SELECT current_schema() AS schema, current_setting('server_version_num')::int AS version`;
  if (row === undefined || row.schema === null) throw unusable('its search_path names no schema');
  if (row.version < MIN_VERSION) throw unusable('it is older than Postgres 12');
  return row.schema;
}

interface Pool {
  sql: Sql;
  version: string;
  schema?: string;
}

export function createExternalDatabases(options: ExternalOptions): ExternalDatabases {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const pools = new Map<string, Pool>();

  const drop = (id: string, pool: Pool): void => {
    // Meanwhile another URL may have made another pool, at which this one's end says nothing.
    if (pools.get(id) === pool) pools.delete(id);
    pool.sql.end({ timeout: 5 }).catch(() => undefined);
  };

  const getPool = (database: DatabaseRow): Pool => {
    const known = pools.get(database.id);
    if (known?.version === database.updatedAt) {
      pools.delete(database.id);
      pools.set(database.id, known);
      return known;
    }
    if (known) drop(database.id, known);
    const [oldest] = pools;
    if (oldest && pools.size >= MAX_POOLS) drop(...oldest);
    const { secretKey } = options;
    const url = unseal(database.connection ?? Buffer.alloc(0), {
      secretKey,
      place: connectionPlace(database.id),
    });
    const pool: Pool = {
      sql: openPool(readConnectionUrl(url), options, MAX_CONNECTIONS),
      version: database.updatedAt,
    };
    pools.set(database.id, pool);
    return pool;
  };

  return {
    use: async (database, work) => {
      const pool = getPool(database);
      try {
        return await withDeadline(pool.sql, timeoutMs, async () => {
          pool.schema ??= await readSchema(pool.sql);
          return work(pool.sql, pool.schema);
        });
      } catch (error) {
        if (isStatementFault(error)) throw error;
        if (error instanceof AppError && error.code !== 'fetch_failed') throw error;
        drop(database.id, pool);
        throw new AppError('temporarily_unavailable', {
          detail: `database ${database.id} (${database.host ?? ''}): ${describeFault(error)}`,
          retryAfterSeconds: 30,
          cause: error,
        });
      }
    },
    probe: async (target) => {
      const sql = openPool(target, options, 1);
      try {
        await withDeadline(sql, 15_000, () => readSchema(sql));
      } catch (error) {
        throw new AppError('invalid_request', {
          field: 'connection_url',
          detail: `the database can't be used: ${describeFault(error)}`,
          cause: error,
        });
      } finally {
        sql.end({ timeout: 1 }).catch(() => undefined);
      }
    },
    close: async () => {
      const all = Array.from(pools.values(), (pool) => pool.sql.end({ timeout: 5 }));
      pools.clear();
      await Promise.all(all);
    },
  };
}
