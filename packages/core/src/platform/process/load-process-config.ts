import { ConfigError, loadConfig, type Config } from '../config/load-config.ts';
import type { DatabaseUrls } from './prepare-database.ts';

/** Loads the configuration of a process, which needs a database. Prints faults to standard error and exits. */
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
