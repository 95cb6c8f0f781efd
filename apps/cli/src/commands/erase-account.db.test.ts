import { createAccount, eraseAccounts, listKeys } from '@gleaner/core';
import { openTestServices } from '@gleaner/core/testing';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { describeError } from '../describe-error.ts';
import { buildProgram } from '../program.ts';

const { services, database, close } = await openTestServices();
const before = { ...process.env };
let printed = '';

vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
  printed += String(text);
  return true;
});
vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
beforeEach(() => {
  printed = '';
  // Settings of the tests alone, which the command line refuses, stay with the tests.
  process.env = { DATABASE_URL: database.url };
});
afterAll(async () => {
  vi.restoreAllMocks();
  process.env = before;
  await close();
});

/** What `gleaner accounts` prints, or the text of its fault. */
async function accounts(...words: string[]): Promise<string> {
  printed = '';
  const called = ['accounts', ...words];
  try {
    await (await buildProgram(called)).parseAsync(called, { from: 'user' });
    return printed;
  } catch (error) {
    return (await describeError(error)).text;
  }
}

it('erases an account by its exact name, and shows the receipt afterwards', async () => {
  const { account } = await createAccount(services.db, { name: 'acme', credits: 5 });
  expect(await accounts('erase', account.id, '--name', 'ACME')).toMatch(
    /^invalid request: name: .*exact name/,
  );
  expect(await accounts('erase', 'nobody', '--name', 'nobody')).toMatch(
    /^not found: there is no account nobody/,
  );
  expect(await listKeys(services.db)).toHaveLength(1);

  expect(await accounts('erase', 'acme', '--name', 'acme')).toMatch(
    new RegExp(`${account.id} .*not yet[^]*Its keys no longer work`),
  );
  expect(await listKeys(services.db)).toEqual([]);
  for (let rounds = 0; rounds < 10; rounds += 1) await eraseAccounts(services);

  const { erasure } = JSON.parse(await accounts('erase', account.id, '--name', 'acme', '--json')) as {
    erasure: { ended_at: string | null; removed: Record<string, number> };
  };
  expect(erasure).toMatchObject({ account_id: account.id, name: 'acme', ended_at: expect.any(String) });
  expect(erasure.removed['ledger_entries']).toBe(1);
  expect(JSON.parse(await accounts('list', '--json'))).toEqual({ accounts: [] });
});
