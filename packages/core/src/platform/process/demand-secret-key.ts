import type { Database } from '@gleaner/db';
import type { Config } from '../config/load-config.ts';
import type { Logger } from '../log/log.ts';
import { isSecretKeyOf } from '../secrets/check-secret-key.ts';
import { exitOnError } from './exit-on-error.ts';

/** Ends the process if `GLEANER_SECRET_KEY` can't open the database's secrets, before it stores any with the wrong key. */
export async function demandSecretKey(
  db: Database,
  { secretKey }: Pick<Config, 'secretKey'>,
  log: Logger,
): Promise<void> {
  if (secretKey === undefined) {
    log.warn(
      'GLEANER_SECRET_KEY is not set: webhooks, connection URLs, and headers and cookies of work can be neither stored nor read',
    );
    return;
  }
  if (await isSecretKeyOf(db, secretKey).catch(exitOnError(log, 'Postgres does not answer'))) return;
  exitOnError(
    log,
    'GLEANER_SECRET_KEY cannot decrypt the secrets of this database',
  )(new Error('the database was first used with another key; see docs/operate/deploy.md'));
}
