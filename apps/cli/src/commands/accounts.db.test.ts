import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from '../testing/run-here.ts';

const root = mkdtempSync(join(tmpdir(), 'gleaner-accounts-'));
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

function gleaner(...args: string[]) {
  return runHere(root, { DATABASE_URL: database.url }, args);
}

it('makes an account and its keys, shows a key once, and revokes it', async () => {
  const limits = ['--credits', '5', '--concurrency', '2'];
  const created = await gleaner('accounts', 'create', '--name', 'n', ...limits, '--json');
  expect(JSON.parse(created.stdout)).toEqual({
    account: expect.objectContaining({ name: 'n', credit_balance: 5, concurrency: 2 }),
    api_key: expect.stringMatching(/^gln_/),
  });
  const key = await gleaner('keys', 'create', 'n', '--name', 'second');
  const [, secret = ''] = /API key \(shown this once\): (gln_\S+)/.exec(key.stdout) ?? [];
  expect(secret).not.toBe('');
  const updated = await gleaner('accounts', 'update', 'n', '--grant', '10', '--no-active', '--json');
  expect(JSON.parse(updated.stdout)).toMatchObject({ account: { credit_balance: 15, active: false } });
  const keys = await gleaner('keys', 'list', 'n');
  expect(keys.stdout).not.toContain(secret);
  const id = /^(key_\w+) .*second/m.exec(keys.stdout)?.[1] ?? '';
  expect((await gleaner('keys', 'revoke', id)).stdout).toMatch(/revoked/);
});

it('names an account that does not exist, and a number that is none', async () => {
  const wrong = await gleaner('accounts', 'update', 'nobody', '--grant', '1');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/^gleaner: not found: there is no account nobody\n$/m);
  const half = await gleaner('accounts', 'create', '--name', 'm', '--credits', '1.5');
  expect(half).toMatchObject({ code: 1, stderr: expect.stringContaining('whole number') });
});
