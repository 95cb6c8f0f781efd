import { isSecretKeyOf } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { Fault } from '../fault.ts';

/** @throws Fault when the database was first used with another key: only that key decrypts its secrets */
export async function requireSecretKey(db: Database, secretKey: string): Promise<void> {
  if (await isSecretKeyOf(db, secretKey)) return;
  throw new Fault(
    'GLEANER_SECRET_KEY is not the key that this database was first used with, so it cannot decrypt the stored secrets.',
    [
      'Set GLEANER_SECRET_KEY to the first key: the value configured then, or secret_key in secrets.json of the first data folder.',
      'If that key is lost, connection URLs and webhook secrets are lost too; docs/operate/deploy.md explains how to use a new key.',
    ].join('\n    '),
  );
}
