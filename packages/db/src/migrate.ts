import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { STATEMENT_TIMEOUT_MS } from './database.ts';
import { errorCodeOf, PG_ERRORS } from './error-codes.ts';

export const packageFolder = join(import.meta.dirname, '..');
/** Any number: all processes that migrate take this advisory lock. */
const MIGRATION_LOCK = 726_351_904;
/**
 * How long a change waits for a table that a long transaction reads (pg_dump, for example). Meanwhile every other
 * query of the table waits behind the change.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** Between two tries, so that what waited behind the change gets through. */
const PAUSE_MS = 3_000;
/** Several minutes. */
const MAX_TRIES = 120;

/** The text of all `engine` functions. */
export async function readFunctions(): Promise<string> {
  const folder = join(packageFolder, 'functions');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}

/**
 * Brings a database to this version: tables by numbered migrations, then the `engine` functions, which are replaced
 * as a whole when their text changed. Safe when several processes call it at once, and while the service runs: it waits
 * for tables that long transactions use in short tries.
 * @param url past any pooler, because the lock of migrations belongs to a session
 * @param options `isPooled`: the service's statements go through a pooler, so their time limit is set for the user here
 */
export async function migrate(url: string, options: { isPooled?: boolean } = {}): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection: { TimeZone: 'UTC' } });
  try {
    await sql`SET statement_timeout = 0`;
    await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    if (options.isPooled === true) await limitStatements(sql);
    await sql.unsafe(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await sql`CREATE SCHEMA IF NOT EXISTS gleaner`;
    await untilUnlocked(() =>
      runMigrations(drizzle(sql), {
        migrationsFolder: join(packageFolder, 'migrations'),
        migrationsSchema: 'gleaner',
        migrationsTable: 'migrations',
      }),
    );
    const functions = await readFunctions();
    const digest = digestOf(functions);
    const [known] = await sql`SELECT value FROM gleaner.settings WHERE name = 'functions'`;
    if (known?.value === digest) return;
    await untilUnlocked(() =>
      sql.begin(async (tx) => {
        await tx`DROP SCHEMA IF EXISTS engine CASCADE`;
        await tx`CREATE SCHEMA engine`;
        await tx.unsafe(functions);
        await tx`INSERT INTO gleaner.settings (name, value) VALUES ('functions', ${digest})
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
      }),
    );
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** What `gleaner.settings` holds of the functions that the database has. */
export function digestOf(functions: string): string {
  return createHash('sha256').update(functions).digest('hex');
}

/** Repeats a transaction that could not lock a table in time. */
async function untilUnlocked(change: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await change();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || tries === MAX_TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** Drizzle wraps errors. */
function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return errorCodeOf(error) === PG_ERRORS.lockNotAvailable || isLockTimeout(error.cause);
}

/** Limits statements of this user in this database, from any client. The user's next sessions apply it. */
async function limitStatements(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ name: string }[]>`SELECT quote_ident(current_database()) AS name`;
  if (!row) throw new Error('current_database returned nothing');
  await sql.unsafe(
    `ALTER ROLE CURRENT_USER IN DATABASE ${row.name} SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  );
}
