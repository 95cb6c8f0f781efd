import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../fault.ts';
import { z } from 'zod';
import { dataFile } from './private-file.ts';

/**
 * The database that the service of this folder last used: `host:port/name` without user and password; null is the
 * folder's embedded Postgres.
 */
const recordFile = dataFile('database.json', z.object({ database: z.string().nullable() }));

/** `host:port/name` of a connection URL, for people. */
export function nameDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/**
 * Refuses to use, or make, the folder's own database when its service works on another one: accounts and keys would
 * go into a database that no service uses.
 * @throws Fault that names the other database
 */
export function requireOwnDatabase(dataDir: string): void {
  const other = recordFile.read(dataDir)?.database;
  if (other === undefined || other === null) return;
  throw new Fault(
    `The service of the data folder ${dataDir} works on the database ${other}, and DATABASE_URL is not set.`,
    `Set DATABASE_URL to that database. To begin with an empty one instead, remove ${recordFile.path(dataDir)}.`,
  );
}

/**
 * Notes which database this start uses.
 * @param databaseUrl absent: the embedded Postgres
 * @returns the database of the start before, in words, when it was another one
 */
export function recordDatabase(dataDir: string, databaseUrl: string | undefined): string | undefined {
  const database = databaseUrl === undefined ? null : nameDatabase(databaseUrl);
  const before = recordFile.read(dataDir);
  const hasOwn = existsSync(join(dataDir, 'postgres.json'));
  recordFile.write(dataDir, { database });
  if (before === undefined)
    return database !== null && hasOwn ? 'the embedded Postgres of the data folder' : undefined;
  if (before.database === database) return undefined;
  return before.database ?? 'the embedded Postgres of the data folder';
}
