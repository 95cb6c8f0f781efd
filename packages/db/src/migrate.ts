import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { STATEMENT_TIMEOUT_MS } from './database.ts';
import { applyAlone, isAlone, untilAlone, WAIT_MS, type WaitOptions } from './earlier-processes.ts';
import { engineSchemaOf, readFunctions } from './engine/engine-schema.ts';
import { errorCodeOf, PG_ERRORS } from './error-codes.ts';
import { describeOldServer, OldServerError } from './server-version.ts';
import {
  MIGRATIONS_FOLDER,
  readApplied,
  readMigrations,
  runMigration,
  type Migration,
} from './migrations.ts';

/** Any number: all processes that migrate take this advisory lock. */
const MIGRATION_LOCK = 726_351_904;
/**
 * How long a change waits for a table that a long transaction reads (pg_dump, for example). Meanwhile every other
 * query of the table waits behind the change.
 */
export const LOCK_TIMEOUT_MS = 2_000;
/** Between two tries, so that what waited behind the change gets through. */
const PAUSE_MS = 3_000;
/** Several minutes. */
const MAX_TRIES = 120;

export interface MigrateOptions {
  /** The service's statements go through a pooler, so their time limit is set for the user here. */
  isPooled?: boolean;
  /**
   * How long to wait for workers and schedulers of an earlier version to end, when a migration can't run beside them.
   * Default: longer than a process that was killed seems to run.
   */
  waitMs?: number;
  /** Called when it begins to wait for them. */
  onWait?: (sentence: string) => void;
  /** Replaced in tests, which install other versions: the text of all functions. */
  functions?: string;
  /** Replaced in tests. */
  migrationsFolder?: string;
  /** How long a try waits for its locks, and the next one for it. Shorter in tests. */
  lockMs?: number;
  pauseMs?: number;
}

/**
 * Brings a database to this version: tables by numbered migrations, then the `engine` functions in the schema of their
 * version, beside those of other versions. Safe when several processes call it at once, and while the service runs: it
 * waits for tables that long transactions use in short tries.
 * @param url past any pooler, because the lock of migrations belongs to a session
 * @throws OldServerError, EarlierProcessesError before it changes anything: the server is too old, or a migration can't run
 * beside processes that do
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  const { functions = readFunctions(), migrationsFolder = MIGRATIONS_FOLDER } = options;
  const {
    isPooled = false,
    waitMs = WAIT_MS,
    onWait,
    lockMs = LOCK_TIMEOUT_MS,
    pauseMs = PAUSE_MS,
  } = options;
  const waiting: WaitOptions = { isPooled, waitMs, onWait };
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection: { TimeZone: 'UTC' } });
  try {
    await refuseOldServer(sql);
    await sql`SET statement_timeout = 0`;
    await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    if (isPooled) await limitStatements(sql);
    await sql.unsafe(`SET lock_timeout = ${lockMs}`);
    await sql`CREATE SCHEMA IF NOT EXISTS gleaner`;
    await sql`CREATE TABLE IF NOT EXISTS gleaner.migrations (
      id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`;
    const applied = (await readApplied(sql)) ?? new Set();
    const missing = readMigrations(migrationsFolder).filter(({ when }) => !applied.has(when));
    const ended = missing.some(isAlone) ? await untilAlone(sql, waiting) : new Set<string>();
    const apply = (migration: Migration): Promise<void> => {
      if (isAlone(migration)) return applyAlone(sql, migration, ended);
      if (migration.isOutside) return runMigration(sql, migration);
      return sql.begin((tx) => runMigration(tx, migration));
    };
    for (const migration of missing) await untilUnlocked(() => apply(migration), pauseMs);
    await untilUnlocked(() => installFunctions(sql, functions), pauseMs);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function refuseOldServer(sql: postgres.Sql): Promise<void> {
  const [server] = await sql<{ number: number; version: string }[]>`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`;
  const refusal = server && describeOldServer(server.number, server.version);
  if (refusal !== undefined) throw new OldServerError(refusal);
}

/**
 * Creates the functions of a version, whose files call its schema `engine`, or dates them anew: the version that was migrated to last is the one that remains
 * when no process uses the others.
 */
async function installFunctions(sql: postgres.Sql, functions: string): Promise<void> {
  const schema = engineSchemaOf(functions);
  await sql.begin(async (tx) => {
    const [found] = await tx<{ exists: boolean }[]>`SELECT to_regnamespace(${schema}) IS NOT NULL AS exists`;
    if (found?.exists !== true) {
      await tx`CREATE SCHEMA ${tx(schema)}`;
      await tx.unsafe(functions.replaceAll(/\bengine\./g, `${schema}.`));
    }
    await tx`INSERT INTO gleaner.engine_versions (schema) VALUES (${schema})
      ON CONFLICT (schema) DO UPDATE SET installed_at = clock_timestamp()`;
  });
}

/** Repeats a change that could not lock a table in time. */
async function untilUnlocked(change: () => Promise<unknown>, pauseMs: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await change();
      return;
    } catch (error) {
      if (errorCodeOf(error) !== PG_ERRORS.lockNotAvailable || tries === MAX_TRIES) throw error;
      await delay(pauseMs);
    }
  }
}

/** Limits statements of this user in this database, from any client. The user's next sessions apply it. */
async function limitStatements(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ name: string }[]>`SELECT quote_ident(current_database()) AS name`;
  if (!row) throw new Error('current_database returned nothing');
  await sql.unsafe(
    `ALTER ROLE CURRENT_USER IN DATABASE ${row.name} SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  );
}
