import type { ProcessKind } from '@gleaner/contracts';
import { createDatabase, type Database } from '@gleaner/db';
import { createQueueBackend } from '@gleaner/queue';
import { createLogger } from '../log/log.ts';
import type { Config } from '../config/load-config.ts';
import { demandSecretKey, exitOnError, loadProcessConfig, reportPresence } from './run-process.ts';

/**
 * Opens what every process of the service needs: its configuration and log, its database and queue. Exits when one of
 * them does not respond, or the secret key is another database's. The process closes them at its end, the database last.
 * @param connections how many `db` may have
 */
export async function openProcess(kind: ProcessKind, connections: (config: Config) => number) {
  const config = loadProcessConfig();
  const log = createLogger(kind, config.logLevel);
  const applicationName = `gleaner-${kind}`;
  /** @param url default: the service's, through a pooler when there is one */
  const openDatabase = (max: number, url = config.databaseUrl): Database =>
    createDatabase(url, { directUrl: config.directDatabaseUrl, max, applicationName });
  const db = openDatabase(connections(config));
  const presence = await reportPresence(db, kind, log);
  await demandSecretKey(db, config, log);
  const queue = await createQueueBackend({
    redisUrl: config.redisUrl,
    databaseUrl: config.directDatabaseUrl,
    connections: config.queueConnections,
    applicationName,
    log,
  }).catch(exitOnError(log, 'the queue does not respond'));
  return { config, log, db, openDatabase, presence, queue };
}
