import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { STATEMENT_TIMEOUT_MS } from './database.ts';

const packageFolder = join(import.meta.dirname, '..');
/** Any number: all processes that migrate take this advisory lock. */
const MIGRATION_LOCK = 726_351_904;

async function readFunctions(): Promise<string> {
  const folder = join(packageFolder, 'functions');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}

/**
 * Brings a database to this version: tables by numbered migrations, then the `engine` functions, which are replaced
 * as a whole when their text changed. Safe when several processes call it at once.
 * @param url past any pooler, because the lock of migrations belongs to a session
 * @param options `isPooled`: the service's statements go through a pooler, so their time limit is set for the user here
 */
export async function migrate(url: string, options: { isPooled?: boolean } = {}): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection: { TimeZone: 'UTC' } });
  try {
    await sql`SET statement_timeout = 0`;
    await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    if (options.isPooled === true) await limitStatements(sql);
    await sql`CREATE SCHEMA IF NOT EXISTS gleaner`;
    await runMigrations(drizzle(sql), {
      migrationsFolder: join(packageFolder, 'migrations'),
      migrationsSchema: 'gleaner',
      migrationsTable: 'migrations',
    });
    const functions = await readFunctions();
    const digest = createHash('sha256').update(functions).digest('hex');
    const [known] = await sql`SELECT value FROM gleaner.settings WHERE name = 'functions'`;
    if (known?.value === digest) return;
    await sql.begin(async (tx) => {
      await tx`DROP SCHEMA IF EXISTS engine CASCADE`;
      await tx`CREATE SCHEMA engine`;
      await tx.unsafe(functions);
      await tx`INSERT INTO gleaner.settings (name, value) VALUES ('functions', ${digest})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Limits statements of this user in this database, whoever opens the connection. Its next sessions apply it. */
async function limitStatements(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ name: string }[]>`SELECT quote_ident(current_database()) AS name`;
  if (!row) throw new Error('current_database returned nothing');
  await sql.unsafe(
    `ALTER ROLE CURRENT_USER IN DATABASE ${row.name} SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  );
}
