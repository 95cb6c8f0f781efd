import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { createDatabase, type Database } from '../database.ts';
import { testServices } from './provided.ts';

export interface TestDatabase {
  url: string;
  db: Database;
  /** Closes `db` and drops the database, with any open connections. */
  close: () => Promise<void>;
}

/**
 * A separate migrated database, cloned in about 50 ms: one per test file, made in `beforeAll` (or at the top level
 * with `await`) and closed in `afterAll`. No other file uses it, so tests may truncate, lock and break it.
 * @param options `isEmpty`: it is not migrated
 */
export function createTestDatabase(options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const { template, postgresUrl } = testServices();
  return createOn(postgresUrl, options.isEmpty === true ? 'template1' : template);
}

/** The environment variable with a superuser's URL of another server for databases of accounts. */
const ELSEWHERE = 'GLEANER_TEST_POSTGRES';

/** Whether databases of accounts are on a server of their own, and what a test says that needs one. */
export const elsewhereServer = {
  isMissing: !process.env[ELSEWHERE],
  meta: { missing: `a Postgres of an account: ${ELSEWHERE} is not set (docs/build/test-data.md)` },
};

/** An empty database for an account to call its own: on the server that the variable names, else beside the others. */
export function createElsewhere(): Promise<TestDatabase> {
  const server = process.env[ELSEWHERE];
  return createOn(server ? server : testServices().postgresUrl, 'template1');
}

async function createOn(server: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((sql) => sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`), server);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const db = createDatabase(address.href);
  const close = async (): Promise<void> => {
    await db.close();
    await asAdmin((sql) => sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`), server);
  };
  return { url: address.href, db, close };
}

/** A number that no other test of this run gets. */
export function uniqueNumber(): Promise<number> {
  return asAdmin(async (sql) => {
    const [row] = await sql<{ value: number }[]>`SELECT nextval('test_numbers')::int AS value`;
    if (!row) throw new Error('the sequence gave no number');
    return row.value;
  });
}

async function asAdmin<T>(
  work: (sql: postgres.Sql) => Promise<T>,
  server = testServices().postgresUrl,
): Promise<T> {
  const sql = postgres(server, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
