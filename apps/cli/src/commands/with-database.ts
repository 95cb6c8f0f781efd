import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { prepareDatabase } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { Fault } from '@gleaner/embedded-postgres/fault';
import { readConfig } from '../read-config.ts';
import { openDataFolder } from '../start/data-folder.ts';
import { explainDatabaseError } from '../start/explain-database-error.ts';
import { findHolder } from '../start/folder-lock.ts';
import { reachPostgres } from '../start/reach-postgres.ts';
import { requireSecretKey } from '../start/require-secret-key.ts';

/**
 * Runs a command on the service's database: DATABASE_URL, or the data folder's Postgres, which is started for the
 * duration of the command when the service does not run.
 */
export async function withDatabase<T>(
  options: { migrates: boolean },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir, secretKey } = readConfig(process.env);
  if (databaseUrl !== undefined) {
    return onDatabase(databaseUrl, { migrates: options.migrates, secretKey }, work);
  }
  requireDatabaseIn(resolve(dataDir));
  const folder = openDataFolder(dataDir);
  const postgres = await reachPostgres(folder);
  // A service with another data folder may well run: what is done here would not be found there.
  if (postgres.isOwn) process.stderr.write(`gleaner: no service runs on ${folder}; its database is used\n`);
  try {
    return await onDatabase(postgres.url, { migrates: options.migrates || postgres.isOwn }, work);
  } finally {
    await postgres.leave();
  }
}

async function onDatabase<T>(
  url: string,
  { migrates, secretKey }: { migrates: boolean; secretKey?: string | undefined },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = createDatabase(url, { max: 1, applicationName: 'gleaner-cli' });
  try {
    if (migrates) await prepareDatabase(url);
    if (migrates && secretKey !== undefined) await requireSecretKey(db, secretKey);
    return await work(db);
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    await db.close();
  }
}

/** Throws unless the folder has a database: a command must not create one in a mistyped folder. */
function requireDatabaseIn(dataDir: string): void {
  if (existsSync(join(dataDir, 'postgres.json')) || findHolder(dataDir)?.role === 'service') return;
  const what = existsSync(dataDir) ? 'holds no database yet' : 'does not exist';
  throw new Fault(
    `The data folder ${dataDir} ${what}.`,
    'Check GLEANER_DATA_DIR and the current folder, or set DATABASE_URL; `gleaner start` creates a new one.',
  );
}
