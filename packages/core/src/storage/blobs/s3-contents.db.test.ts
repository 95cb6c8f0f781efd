import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresContents, type BlobContents, createS3Contents } from './s3-contents.ts';
import { createBlobStore, type BlobStore } from './blob-store.ts';
import { S3_KEYS, startS3, type TestS3 } from './testing/start-s3.ts';

let database: TestDatabase;
let s3: TestS3;
let contents: BlobContents;
let store: BlobStore;

beforeAll(async () => {
  [database, s3] = await Promise.all([createTestDatabase(), startS3()]);
  contents = createS3Contents({ ...S3_KEYS, url: s3.url });
  store = createBlobStore(database.db, 1_000_000, contents);
});
afterAll(async () => {
  await s3.close();
  await database.close();
});

function page(text: string, keptDays = 7): { bytes: Buffer; keptDays: number } {
  return { bytes: Buffer.from(`<p>${text.repeat(200)}</p>`), keptDays };
}

function required(hash: string | undefined): string {
  if (hash === undefined) throw new Error('the content was not stored');
  return hash;
}

test('the bytes are objects, and Postgres has none of them', async () => {
  const picture = { bytes: randomBytes(5_000), keptDays: 1 };
  const [text, raw] = (await store.put('acc_a', [page('a'), picture])).map(required);
  expect(await store.get('acc_a', required(text))).toEqual(page('a').bytes);
  expect(await store.get('acc_a', required(raw))).toEqual(picture.bytes);
  expect(await store.get('acc_b', required(text))).toBeUndefined();
  const rows = await database.db
    .sql`SELECT 1 FROM gleaner.blobs WHERE account_id = 'acc_a' AND bytes IS NOT NULL`;
  expect(rows).toHaveLength(0);
});

test('objects go with their rows', async () => {
  const [hash] = (await store.put('acc_old', [page('old', -1)])).map(required);
  expect(await contents.read('acc_old', required(hash), null)).toBeDefined();
  expect(await store.removeExpired()).toBe(1);
  expect(await contents.read('acc_old', required(hash), null)).toBeUndefined();
  // Once more: what is gone stays gone without an error.
  await contents.remove('acc_old', [required(hash)]);
});

test('a content that is stored while an equal one is removed can be read', async () => {
  for (let round = 0; round < 10; round += 1) {
    await store.put('acc_race', [page('race', -1)]);
    const [[hash]] = await Promise.all([store.put('acc_race', [page('race')]), store.removeExpired()]);
    expect(await store.get('acc_race', required(hash))).toEqual(page('race').bytes);
    await database.db
      .sql`UPDATE gleaner.blobs SET expires_at = now() - interval '1 day' WHERE account_id = 'acc_race'`;
  }
});

test('what Postgres had before the bucket came stays readable, and is written again after it went', async () => {
  const inPostgres = createBlobStore(database.db, 1_000_000, postgresContents);
  const [before] = (await inPostgres.put('acc_move', [page('before')])).map(required);
  expect(await store.get('acc_move', required(before))).toEqual(page('before').bytes);
  const [after] = (await store.put('acc_move', [page('after')])).map(required);
  expect(await inPostgres.get('acc_move', required(after))).toBeUndefined();
  await inPostgres.put('acc_move', [page('after')]);
  expect(await inPostgres.get('acc_move', required(after))).toEqual(page('after').bytes);
});

test('wrong keys and an absent server are temporary faults that name no key', async () => {
  const wrong = createS3Contents({ ...S3_KEYS, url: s3.url, secretKey: 'hidden-secret' });
  const refused = wrong.read('acc_a', 'aa', null);
  await expect(refused).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    options: { detail: 'the store of kept pages answered 403' },
  });
  await expect(refused).rejects.not.toThrow('hidden-secret');
  const absent = createS3Contents({ ...S3_KEYS, url: 'http://127.0.0.1:1/gleaner' });
  await expect(absent.write('acc_a', 'aa', Buffer.from('x'))).rejects.toMatchObject({
    code: 'temporarily_unavailable',
  });
});
