import { AppError } from '@gleaner/contracts';
import { createSignInLink, prepareDatabase } from '@gleaner/core';
import { createDatabase, EarlierProcessesError, type Database } from '@gleaner/db';
import { Fault } from '../../fault.ts';
import type { Credentials } from '../data-files.ts';
import { ensureCredentials } from '../credentials.ts';
import { requireSecretKey } from '../require-secret-key.ts';

export interface PrepareInput {
  databaseUrl: string;
  directDatabaseUrl: string;
  dataDir: string;
  baseUrl: string;
  operatorPassword: string;
  secretKey: string;
}

export interface Prepared {
  credentials: Credentials;
  /** Whether the key was created now: the caller shows it once. */
  isNew: boolean;
  /** Signs in once. Absent when the key was revoked. */
  signInUrl?: string | undefined;
}

/**
 * Migrates the database, checks its secret key, and makes sure that it has an account with a key and a sign-in link.
 * @throws Fault when the database can't be used
 */
export async function prepareService(input: PrepareInput): Promise<Prepared> {
  try {
    await prepareDatabase(input);
  } catch (error) {
    if (error instanceof EarlierProcessesError) throw new Fault(error.message);
    const { host, pathname } = new URL(input.directDatabaseUrl);
    const reason = error instanceof Error && error.message !== '' ? error.message : String(error);
    throw new Fault(
      `The database ${host}${pathname} can't be used: ${reason}`,
      'Check DATABASE_URL: the server must run, and the user must own the database.',
    );
  }
  const db = createDatabase(input.databaseUrl, { directUrl: input.directDatabaseUrl, max: 1 });
  try {
    await requireSecretKey(db, input.secretKey);
    const account = await ensureCredentials(db, input);
    return { ...account, signInUrl: await signInLink(db, account.credentials) };
  } finally {
    await db.close();
  }
}

/** An address that signs in once; undefined when the key of credentials.json was revoked meanwhile. */
async function signInLink(db: Database, credentials: Credentials): Promise<string | undefined> {
  try {
    const token = await createSignInLink(db, credentials.api_key);
    return `${credentials.base_url}/sign-in#link=${token}`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return undefined;
    throw error;
  }
}
