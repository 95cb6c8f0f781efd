import { ConfigError, loadConfig, type Config } from '../config/load-config.ts';

/** Loads the configuration of a process, which needs a database. Prints faults to standard error and exits. */
export function loadProcessConfig(): Config & { databaseUrl: string } {
  try {
    const config = loadConfig(process.env);
    const { databaseUrl } = config;
    if (databaseUrl === undefined) {
      throw new ConfigError(['DATABASE_URL: must be set (`npm start` sets it for the embedded Postgres)']);
    }
    return { ...config, databaseUrl };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
