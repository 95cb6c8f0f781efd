import { isSecretKeyOf } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { Fault } from '@gleaner/embedded-postgres/fault';

/** @throws Fault when the database was first used with another key, so that its secrets would not open */
export async function requireSecretKey(db: Database, secretKey: string): Promise<void> {
  if (await isSecretKeyOf(db, secretKey)) return;
  throw new Fault(
    'GLEANER_SECRET_KEY is not the key that this database was first used with: its stored secrets would not open.',
    [
      'Set GLEANER_SECRET_KEY to the first one: it was set then, or is secret_key in secrets.json of the first data folder.',
      'If it is lost, so are connection URLs and webhook secrets; docs/how-to/deploy.md says how to go on with a new key.',
    ].join('\n    '),
  );
}
