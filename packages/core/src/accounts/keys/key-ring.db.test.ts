import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices, type TestServices } from '../../testing/test-services.ts';
import { createKeyRing } from './key-ring.ts';
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
  await expect(keys.authenticate(apiKey)).rejects.toMatchObject({ code: 'unauthorized' });
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
