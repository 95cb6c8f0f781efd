import { prepareDatabase, loadConfig } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { Fault } from '../fault.ts';
import { openDataFolder } from '../start/data-folder.ts';
import { reachPostgres } from '../start/reach-postgres.ts';

/**
 * Runs a command on the service's database, found as the service finds it: DATABASE_URL, or the data folder's own
 * Postgres, which is started for the time of the command when the service does not run.
 */
export const withDatabase = async <T>(
  options: { migrates: boolean },
  work: (db: Database) => Promise<T>,
): Promise<T> => {
  const config = loadConfig(process.env);
  if (config.databaseUrl !== undefined) {
    if (options.migrates) await prepareDatabase(config.databaseUrl);
    return onDatabase(config.databaseUrl, work);
  }
  const postgres = await reachPostgres(openDataFolder(config.dataDir));
  try {
    if (options.migrates || postgres.isOwn) await prepareDatabase(postgres.url);
    return await onDatabase(postgres.url, work);
  } finally {
    await postgres.leave();
  }
};

const onDatabase = async <T>(url: string, work: (db: Database) => Promise<T>): Promise<T> => {
  const db = createDatabase(url, { max: 1, applicationName: 'gleaner-cli' });
  try {
    return await work(db);
  } catch (error) {
    throw explained(error, url);
  } finally {
    await db.close();
  }
};

/** SQLSTATE of an absent schema or table. */
const NOT_MIGRATED = new Set(['3F000', '42P01']);
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT', 'EAI_AGAIN', 'ECONNRESET']);

const explained = (error: unknown, url: string): unknown => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (NOT_MIGRATED.has(code)) {
      return new Fault(
        `The database ${new URL(url).pathname.slice(1)} has no tables of Gleaner.`,
        'Run: gleaner migrate',
      );
    }
    if (UNREACHABLE.has(code)) {
      return new Fault(
        `The database at ${new URL(url).host} can't be reached (${code}).`,
        'Check DATABASE_URL and that the server runs.',
      );
    }
  }
  return error;
};
