import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, findSubjectActor } from '@gleaner/core';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFault, runGleaner, type Ended } from './testing/operator-cli.ts';

const ISSUER = 'https://id.example/';
const CONFIGURED = { GLEANER_OAUTH_ISSUER: ISSUER, GLEANER_OAUTH_AUDIENCE: 'https://gleaner.example/mcp' };
const root = mkdtempSync(join(tmpdir(), 'gleaner-oauth-'));
let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { account } = await createAccount(database.db, { name: 'acme', credits: 0 });
  accountId = account.id;
});
afterAll(async () => {
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

function oauth(args: readonly string[], env: NodeJS.ProcessEnv = CONFIGURED): Ended {
  return runGleaner(root, { DATABASE_URL: database.url, ...env }, ['oauth', ...args]);
}

function subjects(): unknown {
  return JSON.parse(oauth(['list', '--json']).stdout);
}

it('links a subject by the name of an account, lists it and unlinks it', async () => {
  const subject = 'auth0|5f7c';
  const linked = oauth(['link', 'acme', subject, '--json']);
  expect(linked.status, linked.stderr).toBe(0);
  const record = { account_id: accountId, issuer: ISSUER, subject };
  expect(JSON.parse(linked.stdout)).toMatchObject({ subject: record });
  expect(await findSubjectActor(database.db, { issuer: ISSUER, subject })).toMatchObject({ accountId });
  expect(subjects()).toMatchObject({ subjects: [record] });
  expect(oauth(['list']).stdout).toMatch(/subject .*account .*issuer .*created[\s\S]*auth0\|5f7c/i);
  expectFault(
    oauth(['link', accountId, subject]),
    new RegExp(`auth0\\|5f7c of https://id.example/ is linked to ${accountId} already\\n.*unlink it first`),
  );
  // The same subject at another issuer is another person.
  const other = oauth(['link', accountId, subject, '--issuer', 'https://other.example']);
  expect(other.stderr).toContain('a service with this setting refuses tokens of https://other.example');
  expect(other.stdout).toContain('https://other.example');
  expect(oauth(['unlink', subject]).status).toBe(0);
  await expect(findSubjectActor(database.db, { issuer: ISSUER, subject })).rejects.toThrow(/unlinked/);
  expect(subjects()).toMatchObject({ subjects: [{ issuer: 'https://other.example', subject }] });
  expectFault(
    oauth(['unlink', subject]),
    /auth0\|5f7c of https:\/\/id.example\/ is not linked\n.*oauth list/,
  );
});

it('names what is wrong with an account, a subject or an issuer, and links nothing', () => {
  const before = subjects();
  expectFault(oauth(['link', 'nobody', 'sub']), /not found: there is no account nobody/);
  expectFault(oauth(['link', 'acme', 'sub\n']), /subject: .*\n.*exactly as in the tokens' sub/);
  expectFault(oauth(['link', 'acme', 'sub', '--issuer', 'id.example']), /issuer: "id.example" must be a URL/);
  expectFault(oauth(['link', 'acme', 'sub'], {}), /No issuer is configured[\s\S]*--issuer/);
  expectFault(oauth(['link', 'acme']), /missing required argument 'subject'/);
  expectFault(oauth(['link', 'acme', 'auth0', '5f7c']), /too many arguments/);
  expect(subjects()).toEqual(before);
});
