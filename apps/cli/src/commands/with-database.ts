import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '@gleaner/contracts';
import { listAccounts, prepareDatabase } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { Fault } from '../fault.ts';
import { readConfig } from '../read-config.ts';
import { openDataFolder } from '../start/data-folder.ts';
import { nameDatabase, requireOwnDatabase } from '../start/database-record.ts';
import { explainDatabaseError } from '../start/explain-database-error.ts';
import { findHolder } from '../start/folder-lock.ts';
import { reachPostgres } from '../start/reach-postgres.ts';
import { runtimeFile } from '../start/data-files.ts';
import { note } from '../terminal/output.ts';

/**
 * Runs a command on the service's database: DATABASE_URL, or the data folder's Postgres, which is started, and migrated,
 * for the duration of the command when the service does not run.
 * @param options `isMigration`: the command migrates by itself, and the database stays as it is before
 */
export async function withDatabase<T>(
  work: (db: Database) => Promise<T>,
  { isMigration = false } = {},
): Promise<T> {
  const { databaseUrl, directDatabaseUrl = databaseUrl, dataDir } = readConfig(process.env);
  if (directDatabaseUrl !== undefined) {
    noteDatabase(directDatabaseUrl, 'DATABASE_URL', resolve(dataDir));
    return onDatabase(directDatabaseUrl, work);
  }
  requireDatabaseIn(resolve(dataDir));
  const postgres = await reachPostgres(openDataFolder(dataDir));
  const { url, isOwn } = postgres;
  noteDatabase(url, `the ${isOwn ? 'data folder' : 'service of'} ${resolve(dataDir)}`, resolve(dataDir));
  try {
    return await onDatabase(url, async (db) => {
      if (isOwn && !isMigration) await prepareDatabase({ databaseUrl: url, directDatabaseUrl: url });
      return work(db);
    });
  } finally {
    await postgres.leave();
  }
}

/** @param account identifier or name @throws AppError not_found */
export async function findAccountId(db: Database, account: string): Promise<string> {
  const found = (await listAccounts(db)).find(({ id, name }) => id === account || name === account);
  if (!found) throw new AppError('not_found', { detail: `there is no account ${account}` });
  return found.id;
}

/** @param url names the server itself: a command needs one connection for a moment, and no pooler */
async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = createDatabase(url, { max: 1, applicationName: 'gleaner-cli' });
  try {
    return await work(db);
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    await db.close();
  }
}

/** Names the command's database on standard error, and warns when the service here works on another one. */
function noteDatabase(url: string, source: string, dataDir: string): void {
  const served =
    findHolder(dataDir)?.role === 'service' ? runtimeFile.read(dataDir)?.database_url : undefined;
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
