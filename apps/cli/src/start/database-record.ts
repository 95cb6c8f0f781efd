import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../fault.ts';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

/** `database` is `host:port/name` without user and password; null is the folder's embedded Postgres. */
const recordSchema = z.object({ database: z.string().nullable() });

function recordPath(dataDir: string): string {
  return join(dataDir, 'database.json');
}

/** `host:port/name` of a connection URL, for people. */
export function nameDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** The database that the service of this folder last used; undefined before the first start. */
function readRecord(dataDir: string): { database: string | null } | undefined {
  return readJson(recordPath(dataDir), recordSchema);
}

/**
 * Refuses to use, or make, the folder's own database when its service works on another one: accounts and keys would
 * go into a database that no service uses.
 * @throws Fault that names the other database
 */
export function requireOwnDatabase(dataDir: string): void {
  const other = readRecord(dataDir)?.database;
  if (other === undefined || other === null) return;
  throw new Fault(
    `The service of the data folder ${dataDir} works on the database ${other}, and DATABASE_URL is not set.`,
    `Set DATABASE_URL to that database. To begin with an empty one instead, remove ${recordPath(dataDir)}.`,
  );
}

/**
 * Notes which database this start uses.
 * @param databaseUrl absent: the embedded Postgres
 * @returns the database of the start before, in words, when it was another one
 */
export function recordDatabase(dataDir: string, databaseUrl: string | undefined): string | undefined {
  const database = databaseUrl === undefined ? null : nameDatabase(databaseUrl);
  const before = readRecord(dataDir);
  const hasOwn = existsSync(join(dataDir, 'postgres.json'));
  writePrivateJson(recordPath(dataDir), { database });
  if (before === undefined)
    return database !== null && hasOwn ? 'the embedded Postgres of the data folder' : undefined;
  if (before.database === database) return undefined;
  return before.database ?? 'the embedded Postgres of the data folder';
}
