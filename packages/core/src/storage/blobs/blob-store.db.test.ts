import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBlobStore, type BlobStore } from './blob-store.ts';

let database: TestDatabase;
let store: BlobStore;
beforeAll(async () => {
  database = await createTestDatabase();
  store = createBlobStore({ db: database.db, quotaBytes: 100_000 });
});
afterAll(() => database.close());

function page(text: string): { bytes: Buffer; keptDays: number } {
  return { bytes: Buffer.from(`<p>${text.repeat(200)}</p>`), keptDays: 7 };
}

function required(hash: string | undefined): string {
  if (hash === undefined) throw new Error('the content was not stored');
  return hash;
}

test('gives contents back, to their account alone', async () => {
  const picture = { bytes: randomBytes(1_000), keptDays: 1 };
  const [text, raw] = (await store.put('acc_a', [page('a'), picture])).map(required);
  expect(await store.get('acc_a', required(text))).toEqual(page('a').bytes);
  expect(await store.get('acc_a', required(raw))).toEqual(picture.bytes);
  expect(await store.get('acc_b', required(text))).toBeUndefined();
});

test('stores equal contents of an account once, also at once', async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, () => store.put('acc_once', [page('x'), page('x'), page('y')])),
  );
  expect(new Set(all.flat()).size).toBe(2);
  const [count] = await database.db.sql<{ rows: number; bytes: number }[]>`
    SELECT count(*)::int AS rows, sum(stored_bytes)::int AS bytes FROM gleaner.blobs WHERE account_id = 'acc_once'`;
  expect(count?.rows).toBe(2);
  expect(await store.usedBytes('acc_once')).toBe(count?.bytes);
});

test('refuses what the quota has no room for, and says so for each', async () => {
  const large = (): { bytes: Buffer; keptDays: number } => ({ bytes: randomBytes(60_000), keptDays: 7 });
  const [first, second] = await store.put('acc_quota', [large(), large()]);
  expect([typeof first, second]).toEqual(['string', undefined]);
  expect(await store.put('acc_quota', [large()])).toEqual([undefined]);
  expect(await store.usedBytes('acc_quota')).toBe(60_000);
});

test('removes what has expired and frees its bytes', async () => {
  const [hash] = await store.put('acc_old', [{ ...page('old'), keptDays: -1 }]);
  const [young] = await store.put('acc_old', [page('young')]);
  expect(await store.get('acc_old', required(hash))).toBeUndefined();
  expect(await store.removeExpired()).toBe(1);
  const [left] = await database.db.sql<{ bytes: number }[]>`
    SELECT stored_bytes AS bytes FROM gleaner.blobs WHERE account_id = 'acc_old'`;
  expect(await store.usedBytes('acc_old')).toBe(left?.bytes);
  expect(await store.get('acc_old', required(young))).toEqual(page('young').bytes);
});

test('a content that is stored again lives until its later expiry', async () => {
  const [hash] = await store.put('acc_again', [{ ...page('z'), keptDays: -1 }]);
  await store.put('acc_again', [page('z')]);
  expect(await store.removeExpired()).toBe(0);
  expect(await store.get('acc_again', required(hash))).toEqual(page('z').bytes);
});
