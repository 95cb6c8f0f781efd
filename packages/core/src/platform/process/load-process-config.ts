import { ConfigError, loadConfig, type Config } from '../config/load-config.ts';
import type { DatabaseUrls } from './prepare-database.ts';

/** The configuration of a process, with a database. Faults go to standard error, one line each, and end it. */
export function loadProcessConfig(): Config & DatabaseUrls {
  try {
    const config = loadConfig(process.env);
    const { databaseUrl, directDatabaseUrl = databaseUrl } = config;
    if (databaseUrl === undefined || directDatabaseUrl === undefined) {
      throw new ConfigError(['DATABASE_URL: must be set (`npm start` sets it for the embedded Postgres)']);
    }
    return { ...config, databaseUrl, directDatabaseUrl };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
