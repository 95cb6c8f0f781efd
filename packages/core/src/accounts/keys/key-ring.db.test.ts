import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices, type TestServices } from '../../testing/test-services.ts';
import type { AppError } from '@gleaner/contracts';
import { createKeyRing, withChecksum } from './key-ring.ts';
import { revokeKey } from './issue-keys.ts';

let open: TestServices;
beforeAll(async () => {
  open = await openTestServices();
});
afterAll(() => open.close());

it('rejects a revoked key at most a second after its last lookup', async () => {
  const { services } = open;
  let now = 0;
  const keys = createKeyRing(services.db, services.log, () => now);
  const { apiKey, accountId } = await createTestAccount(services);
  const actor = await keys.authenticate(apiKey);
  expect(actor).toMatchObject({ accountId });
  await revokeKey(services.db, actor.keyId);
  now = 1_000;
  await expect(keys.authenticate(apiKey)).rejects.toMatchObject({
    code: 'unauthorized',
    options: { detail: expect.stringMatching(/^the key was revoked at \d{4}-/) as unknown },
  });
});

it('tells only who has the whole key that it was revoked, or that its account is off', async () => {
  const { services } = open;
  const keys = createKeyRing(services.db, services.log, () => 0);
  const { apiKey, accountId } = await createTestAccount(services);
  const detailOf = (key: string) =>
    keys.authenticate(key).then(
      () => 'accepted',
      ({ options }: AppError) => options.detail,
    );
  // Another secret of the same public id, with its right checksum.
  const body = `${apiKey.slice(0, 13)}${'x'.repeat(32)}`;
  const other = withChecksum(body);
  await services.db.sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${accountId}`;
  expect(await detailOf(apiKey)).toBe('the account of the key is not active');
  await services.db.sql`UPDATE gleaner.api_keys SET revoked_at = now() WHERE account_id = ${accountId}`;
  expect(await detailOf(apiKey)).toContain('revoked');
  expect(await detailOf(other)).toBe('the key is unknown');
  expect(await detailOf(`${body}000000`)).toBe('the key is malformed');
});

it('rejects a key with a wrong secret, an unknown and a missing key, regardless of the cache', async () => {
  const { services } = open;
  const keys = createKeyRing(services.db, services.log, () => 0);
  const { apiKey } = await createTestAccount(services);
  await keys.authenticate(apiKey);
  const last = apiKey.endsWith('a') ? 'b' : 'a';
  for (const key of [`${apiKey.slice(0, -1)}${last}`, 'gln_unknown', undefined]) {
    await expect(keys.authenticate(key)).rejects.toMatchObject({ code: 'unauthorized' });
  }
  expect(await keys.authenticate(apiKey)).toBeDefined();
});
