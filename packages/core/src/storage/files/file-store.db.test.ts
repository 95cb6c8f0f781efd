import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBlobStore } from '../blobs/blob-store.ts';
import { createFileStore, type FileStore } from './file-store.ts';

let database: TestDatabase;
let store: FileStore;

function open(quotaBytes: number, keptDays = 7): FileStore {
  const { db } = database;
  return createFileStore({
    db,
    blobs: createBlobStore(db, quotaBytes),
    baseUrl: 'http://gleaner.test',
    keptDays,
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  store = open(1_000_000);
});
afterAll(() => database.close());

function idOf(address: string | undefined): string {
  return address?.split('/').at(-1) ?? '';
}

const PICTURE = { contentType: 'image/png', bytes: Buffer.from('a picture') };

test('a file is read by its address, and each has one of its own', async () => {
  const [first, second] = await store.keep('acc_a', [PICTURE, PICTURE]);
  expect(first).toMatch(/^http:\/\/gleaner\.test\/files\/fil_[0-9a-f]{40}$/);
  expect(second).not.toBe(first);
  expect(await store.read(idOf(first))).toEqual(PICTURE);
  expect(await store.read(`fil_${'0'.repeat(40)}`)).toBeUndefined();
  expect(await store.read("fil_' OR true")).toBeUndefined();
});

test('a file that has expired is gone, also before it is removed', async () => {
  const [address] = await open(1_000_000, -1).keep('acc_b', [PICTURE]);
  expect(await store.read(idOf(address))).toBeUndefined();
  expect(await store.removeExpired()).toBe(1);
  expect(await store.removeExpired()).toBe(0);
});

test('a full quota is said, and stores no address', async () => {
  const small = open(5);
  await expect(small.keep('acc_c', [PICTURE])).rejects.toMatchObject({ code: 'plan_limit_exceeded' });
  const [row] = await database.db
    .sql`SELECT count(*)::int AS n FROM gleaner.files WHERE account_id = 'acc_c'`;
  expect(row).toEqual({ n: 0 });
});
