import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { AppError } from '@gleaner/contracts';
import { errorCodeOf, withFreshClients, type Sql } from '@gleaner/db';
import postgres from 'postgres';
import { unseal } from '../../platform/secrets/seal.ts';
import { boundAnswers } from './bound-answers.ts';
import { readConnectionUrl, type ConnectionTarget } from './connection-target.ts';
import type { DatabaseRow } from './database-record.ts';
import { serverMessage } from './server-message.ts';

/**
 * The egress decision: resolves a host, rejects forbidden addresses (AppError fetch_failed) and returns the address to
 * connect to.
 */
export type ResolveEgress = (host: string, port: number) => Promise<{ address: string; port: number }>;

/** Connections to the accounts' own Postgres servers. The process closes them at its end. */
export interface ExternalDatabases {
  /** Runs queries on a stored external database. Throws AppError temporarily_unavailable when it doesn't respond. */
  use<T>(database: DatabaseRow, work: (sql: Sql, schema: string) => Promise<T>): Promise<T>;
  /** Tests a connection before it is stored. Throws AppError invalid_request with field connection_url. */
  probe(target: ConnectionTarget): Promise<void>;
  close(): Promise<void>;
}

export interface ExternalOptions {
  /** 64 hexadecimal digits: the configuration's secretKey. */
  secretKey: string | undefined;
  resolveEgress: ResolveEgress;
  /** Time limit of one use, including connecting. Default 30 s. */
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

/** The option for the function that opens sockets, which the types of postgres.js 3.4 lack. */
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
    // Many hosted services use poolers in transaction mode, which don't support named statements.
    prepare: false,
    backoff: () => 0,
    onnotice: () => undefined,
    connection: { application_name: 'gleaner', TimeZone: 'UTC' },
    socket: async () => boundAnswers(await connectPinned(target, options.resolveEgress)),
  };
  return withFreshClients(() => postgres(settings));
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
  if (row === undefined || row.schema === null) throw unusable('its search_path does not name a schema');
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
    // Meanwhile a new URL may have created another pool, which must stay.
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
          detail: `the database is not available: ${describeFault(error)}`,
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
