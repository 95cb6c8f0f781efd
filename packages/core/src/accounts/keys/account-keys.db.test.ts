import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import type { OperationServices } from '../../operations/operation-entry.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { listKeys } from './issue-keys.ts';

let services: OperationServices;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ services, close } = await openTestDoor());
});
afterAll(() => close());

interface Keys {
  keys: { id: string; name: string; revoked_at: string | null }[];
}

it('reads, renames and revokes keys of its own account alone', async () => {
  const [one, other] = [await createTestAccount(services), await createTestAccount(services)];
  const [key] = await listKeys(services.db, other.accountId);
  const params = { id: key?.id ?? '' };
  for (const [id, body] of [['getKey'], ['updateKey', { name: 'x' }], ['deleteKey']] as const) {
    const refusal = await refusalOf(callOnce(services, id, one, { params, ...(body && { body }) }));
    expect(refusal.code, id).toBe('not_found');
  }
  // The keys of tests are resolved once a second.
  expect(
    valueOf(await callOnce(services, 'updateKey', other, { params, body: { name: 'mine' } })),
  ).toMatchObject({
    name: 'mine',
    revoked_at: null,
  });
  await callOnce(services, 'deleteKey', other, { params });
  const [{ revoked_at: revokedAt } = { revoked_at: null }] = await listKeys(services.db, other.accountId);
  expect(revokedAt).not.toBeNull();
});

it('lists revoked keys for 90 days, and finds keys by name', async () => {
  const { apiKey } = await createTestAccount(services);
  const names = async (query = {}): Promise<string[]> =>
    (valueOf(await callOnce(services, 'listKeys', { apiKey }, { query })) as Keys).keys.map(
      ({ name }) => name,
    );
  const { id } = valueOf(await callOnce(services, 'createKey', { apiKey }, { body: { name: 'old' } })) as {
    id: string;
  };
  await callOnce(services, 'deleteKey', { apiKey }, { params: { id } });
  expect(await names()).toContain('old');
  expect(await names({ search: 'OL' })).toEqual(['old']);
  expect(await names({ search: id })).toEqual(['old']);
  expect(await names({ search: 'none' })).toEqual([]);
  await services.db.sql`UPDATE gleaner.api_keys SET revoked_at = now() - interval '91 days' WHERE id = ${id}`;
  expect(await names()).not.toContain('old');
});
