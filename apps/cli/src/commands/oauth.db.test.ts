import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, findSubjectActor } from '@gleaner/core';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFault, runHere, type Ended } from '../testing/run-here.ts';

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

function oauth(args: readonly string[], env: NodeJS.ProcessEnv = CONFIGURED): Promise<Ended> {
  return runHere(root, { DATABASE_URL: database.url, ...env }, ['oauth', ...args]);
}

async function subjects(): Promise<unknown> {
  return JSON.parse((await oauth(['list', '--json'])).stdout);
}

it('links a subject by the name of an account, lists it and unlinks it', async () => {
  const subject = 'auth0|5f7c';
  const linked = await oauth(['link', 'acme', subject, '--json']);
  expect(linked.code, linked.stderr).toBe(0);
  const record = { account_id: accountId, issuer: ISSUER, subject };
  expect(JSON.parse(linked.stdout)).toMatchObject({ subject: record });
  expect(await findSubjectActor(database.db, { issuer: ISSUER, subject })).toMatchObject({ accountId });
  expect(await subjects()).toMatchObject({ subjects: [record] });
  expect((await oauth(['list'])).stdout).toMatch(/subject .*account .*issuer .*created[\s\S]*auth0\|5f7c/i);
  expectFault(
    await oauth(['link', accountId, subject]),
    new RegExp(`auth0\\|5f7c of https://id.example/ is linked to ${accountId} already\\n.*unlink it first`),
  );
  // The same subject at another issuer is another person.
  const other = await oauth(['link', accountId, subject, '--issuer', 'https://other.example']);
  expect(other.stderr).toContain('a service with this setting refuses tokens of https://other.example');
  expect(other.stdout).toContain('https://other.example');
  expect((await oauth(['unlink', subject])).code).toBe(0);
  await expect(findSubjectActor(database.db, { issuer: ISSUER, subject })).rejects.toThrow(/unlinked/);
  expect(await subjects()).toMatchObject({ subjects: [{ issuer: 'https://other.example', subject }] });
  expectFault(
    await oauth(['unlink', subject]),
    /auth0\|5f7c of https:\/\/id.example\/ is not linked\n.*oauth list/,
  );
});

it('names what is wrong with an account, a subject or an issuer, and links nothing', async () => {
  const before = await subjects();
  expectFault(await oauth(['link', 'nobody', 'sub']), /not found: there is no account nobody/);
  expectFault(await oauth(['link', 'acme', 'sub\n']), /subject: .*\n.*exactly as in the tokens' sub/);
  expectFault(
    await oauth(['link', 'acme', 'sub', '--issuer', 'id.example']),
    /issuer: "id.example" must be a URL/,
  );
  expectFault(await oauth(['link', 'acme', 'sub'], {}), /No issuer is configured[\s\S]*--issuer/);
  expectFault(await oauth(['link', 'acme']), /missing required argument 'subject'/);
  expectFault(await oauth(['link', 'acme', 'auth0', '5f7c']), /too many arguments/);
  expect(await subjects()).toEqual(before);
});
