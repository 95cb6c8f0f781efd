import { setTimeout as delay } from 'node:timers/promises';
import { tables } from '@gleaner/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { write } from '../context.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../../testing/test-services.ts';
import { claimIdempotencyKey, releaseIdempotencyKey, type IdempotentRequest } from './claim-key.ts';

let open: TestServices;
let accountId: string;

beforeAll(async () => {
  open = await openTestServices();
  ({ accountId } = await createTestAccount(open.services));
});
afterAll(() => open.close());

function request(key: string, content: unknown = { name: 'a' }): IdempotentRequest {
  return {
    accountId,
    key,
    operation: 'createThing',
    content,
    status: 201,
    signal: new AbortController().signal,
  };
}

test('the same request gets the answer that was stored with the change', async () => {
  const first = await claimIdempotencyKey(open.services.db, request('same'));
  if (first.kind !== 'claimed') throw new Error('not claimed');
  const ctx = { ...testContext(open.services, accountId), idempotency: first.claim };
  await write(ctx, async () => ({ id: 'thing_1' }));
  expect(await claimIdempotencyKey(open.services.db, request('same'))).toEqual({
    kind: 'replay',
    status: 201,
    answer: { id: 'thing_1' },
    uploadDigest: null,
  });
});

test('another body under the same key is a conflict', async () => {
  await claimIdempotencyKey(open.services.db, request('other'));
  await expect(claimIdempotencyKey(open.services.db, request('other', { name: 'b' }))).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
});

test('of two concurrent requests, the second waits for the first one’s answer', async () => {
  const first = await claimIdempotencyKey(open.services.db, request('race'));
  if (first.kind !== 'claimed') throw new Error('not claimed');
  const second = claimIdempotencyKey(open.services.db, request('race'));
  const ctx = { ...testContext(open.services, accountId), idempotency: first.claim };
  await write(ctx, async () => ({ id: 'thing_2' }));
  expect(await second).toMatchObject({ kind: 'replay', answer: { id: 'thing_2' } });
});

test('a request that created nothing frees its key', async () => {
  const first = await claimIdempotencyKey(open.services.db, request('failed'));
  if (first.kind !== 'claimed') throw new Error('not claimed');
  await releaseIdempotencyKey(open.services.db, first.claim);
  expect(await claimIdempotencyKey(open.services.db, request('failed', { name: 'c' }))).toMatchObject({
    kind: 'claimed',
  });
});

test('the claim of a process that died is taken over after its lease', async () => {
  await claimIdempotencyKey(open.services.db, request('dead'));
  await open.services.db.orm.update(tables.idempotencyKeys).set({ leaseUntil: new Date(0).toISOString() });
  expect(await claimIdempotencyKey(open.services.db, request('dead'))).toMatchObject({ kind: 'claimed' });
});

test('waiting requests query the database less and less often', async () => {
  const { db } = open.services;
  let asked = 0;
  const orm = new Proxy(db.orm, {
    get: (target, name) => {
      asked += 1;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const first = await claimIdempotencyKey(db, request('slow'));
  if (first.kind !== 'claimed') throw new Error('not claimed');
  const second = claimIdempotencyKey({ ...db, orm }, request('slow'));
  await delay(1_500);
  // Two requests with a query every 50 ms would make 60.
  expect(asked).toBeLessThan(15);
  await releaseIdempotencyKey(db, first.claim);
  expect(await second).toMatchObject({ kind: 'claimed' });
});
