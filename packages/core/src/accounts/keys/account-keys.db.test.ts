import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { createAccount } from '../create-account.ts';
import { createAccountKey, revokeAccountKey } from './account-keys.ts';
import { listKeys } from './list-keys.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('makes at most 100 working keys, also when they are asked for at once', async () => {
  const { account } = await createAccount(database.db, { name: 'many', credits: 0 });
  const made = await Promise.allSettled(
    Array.from({ length: 110 }, (_, index) =>
      createAccountKey(database.db, { accountId: account.id, name: `key ${index}` }),
    ),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(99);
  expect(await listKeys(database.db, account.id)).toHaveLength(100);
});

it('revokes keys of its own account alone', async () => {
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => createAccount(database.db, { name, credits: 0 })),
  );
  const [key] = await listKeys(database.db, other?.account.id);
  const revoke = (accountId = '') => revokeAccountKey(database.db, { accountId, id: key?.id ?? '' });
  await expect(revoke(one?.account.id)).rejects.toThrow(/there is no key/);
  expect((await revoke(other?.account.id)).revoked_at).not.toBeNull();
});
