import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFault, runHere } from '../testing/run-here.ts';

const root = mkdtempSync(join(tmpdir(), 'gleaner-faults-'));
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

function gleaner(env: NodeJS.ProcessEnv, ...args: string[]) {
  return runHere(root, env, args);
}

it('makes no database for a command: a mistyped data folder is named and stays absent', async () => {
  const dataDir = join(root, 'mistyped');
  expectFault(
    await gleaner({ GLEANER_DATA_DIR: dataDir }, 'keys', 'list'),
    /data folder .*mistyped does not exist/,
  );
  expect(existsSync(dataDir)).toBe(false);
});

it('lists wrong settings in plain lines, whatever the command', async () => {
  expectFault(
    await gleaner({ PORT: 'abc', GLEANER_WORKER: '2' }, 'keys', 'list'),
    /PORT: .*\n.*GLEANER_WORKERS\n/,
  );
});

it('names a missing database and a wrong key', async () => {
  const missing = new URL(database.url);
  missing.pathname = '/no_such_database';
  expectFault(await gleaner({ DATABASE_URL: missing.href }, 'migrate'), /no database no_such_database on /);
  const env = (digits: string) => ({ DATABASE_URL: database.url, GLEANER_SECRET_KEY: digits.repeat(32) });
  expect((await gleaner(env('ab'), 'migrate')).code).toBe(0);
  expectFault(await gleaner(env('cd'), 'migrate'), /GLEANER_SECRET_KEY is not the key .*first used with/);
});

it('says what a user without permission lacks', async () => {
  const role = `weak_${process.pid}`;
  const schemaless = new URL(database.url);
  await database.db.sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`);
  schemaless.username = role;
  schemaless.password = 'weak';
  expectFault(await gleaner({ DATABASE_URL: schemaless.href }, 'migrate'), /permission denied/);
  await database.db.sql.unsafe(`DROP ROLE ${role}`);
});

it('refuses limits and names that the database would refuse, and names the figures of credits', async () => {
  const env = { DATABASE_URL: database.url };
  const accounts = (...args: string[]) => gleaner(env, 'accounts', ...args);
  expectFault(await accounts('create', '--name', 'a', '--concurrency', '0'), /whole number from 1/);
  expect((await accounts('create', '--name', 'a', '--credits', '50')).code).toBe(0);
  expectFault(await accounts('update', 'a', '--concurrency', '0'), /whole number from 1/);
  expectFault(await accounts('create', '--name', 'b\nc'), /name: must have 1 to 200 characters/);
  expectFault(await accounts('update', 'a', '--grant', '-60'), /required 60, available 50/);
  expectFault(
    await gleaner(env, 'keys', 'create', 'a', '--name', 'x'.repeat(201)),
    /name: must have 1 to 200/,
  );
});
