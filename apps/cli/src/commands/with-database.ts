import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { prepareDatabase, type DatabaseUrls } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { Fault } from '../fault.ts';
import { readConfig } from '../read-config.ts';
import { openDataFolder } from '../start/data-folder.ts';
import { nameDatabase, requireOwnDatabase } from '../start/database-record.ts';
import { explainDatabaseError } from '../start/explain-database-error.ts';
import { findHolder } from '../start/folder-lock.ts';
import { reachPostgres } from '../start/reach-postgres.ts';
import { readRuntime } from '../start/runtime-file.ts';
import { note } from '../terminal/output.ts';
import { requireSecretKey } from '../start/require-secret-key.ts';

/**
 * Runs a command on the service's database: DATABASE_URL, or the data folder's Postgres, which is started for the
 * duration of the command when the service does not run.
 * @param options `migrates`: false leaves the database of a running service as it is; `never` any database
 */
export async function withDatabase<T>(
  options: { migrates: boolean | 'never' },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl, directDatabaseUrl = databaseUrl, dataDir, secretKey } = readConfig(process.env);
  if (directDatabaseUrl !== undefined) {
    noteDatabase(directDatabaseUrl, 'DATABASE_URL', resolve(dataDir));
    return onDatabase(
      { databaseUrl: databaseUrl ?? directDatabaseUrl, directDatabaseUrl },
      { migrates: options.migrates === true, secretKey },
      work,
    );
  }
  requireDatabaseIn(resolve(dataDir));
  const postgres = await reachPostgres(openDataFolder(dataDir));
  const source = postgres.isOwn
    ? `the data folder ${resolve(dataDir)}`
    : `the service of ${resolve(dataDir)}`;
  noteDatabase(postgres.url, source, resolve(dataDir));
  try {
    const urls = { databaseUrl: postgres.url, directDatabaseUrl: postgres.url };
    const migrates = options.migrates === true || (postgres.isOwn && options.migrates !== 'never');
    return await onDatabase(urls, { migrates }, work);
  } finally {
    await postgres.leave();
  }
}

async function onDatabase<T>(
  urls: DatabaseUrls,
  { migrates, secretKey }: { migrates: boolean; secretKey?: string | undefined },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  // A command needs one connection for a moment: no pooler.
  const url = urls.directDatabaseUrl;
  const db = createDatabase(url, { max: 1, applicationName: 'gleaner-cli' });
  try {
    if (migrates) await prepareDatabase(urls);
    if (migrates && secretKey !== undefined) await requireSecretKey(db, secretKey);
    return await work(db);
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    await db.close();
  }
}

/** Names the command's database on standard error, and warns when the service here works on another one. */
function noteDatabase(url: string, source: string, dataDir: string): void {
  const served = findHolder(dataDir)?.role === 'service' ? readRuntime(dataDir)?.database_url : undefined;
  const isOther = served !== undefined && nameDatabase(served) !== nameDatabase(url);
  const warning = isOther
    ? `\n  → The service of the data folder ${dataDir} works on another one: ${nameDatabase(served)}.`
    : '';
  note(`database ${nameDatabase(url)} (${source})${warning}`);
}

/** Throws unless the folder has a database: a command must not create one in a mistyped folder. */
function requireDatabaseIn(dataDir: string): void {
  if (findHolder(dataDir)?.role === 'service') return;
  requireOwnDatabase(dataDir);
  if (existsSync(join(dataDir, 'postgres.json'))) return;
  const what = existsSync(dataDir) ? 'holds no database yet' : 'does not exist';
  throw new Fault(
    `The data folder ${dataDir} ${what}.`,
    'Check GLEANER_DATA_DIR and the current folder, or set DATABASE_URL; `gleaner start` creates a new one.',
  );
}
