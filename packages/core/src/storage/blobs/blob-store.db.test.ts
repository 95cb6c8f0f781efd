import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBlobStore, type BlobStore } from './blob-store.ts';

let database: TestDatabase;
let store: BlobStore;
beforeAll(async () => {
  database = await createTestDatabase();
  store = createBlobStore(database.db, 100_000);
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

/** A page of a site: most of it is equal on all pages. */
function sitePage(number: number, family = 'shop.example') {
  const frame = Array.from(
    { length: 60 },
    (_, row) => `<a href="/${family}/${row * 7_919}">entry ${row ** 3}</a>`,
  );
  return { bytes: Buffer.from(`<h1>Page ${number}</h1>${frame.join('')}`), keptDays: 7, family };
}

async function storedOf(accountId: string): Promise<{ bytes: number; named: number; short: number }> {
  const [row] = await database.db.sql<{ bytes: number; named: number; short: number }[]>`
    SELECT sum(b.stored_bytes)::int AS bytes, count(b.dictionary)::int AS named,
      count(*) FILTER (WHERE b.dictionary IS NOT NULL AND d.expires_at IS NULL
        OR d.expires_at < b.expires_at + interval '12 hours' OR d.dictionary IS NOT NULL)::int AS short
    FROM gleaner.blobs b LEFT JOIN gleaner.blobs d ON d.account_id = b.account_id AND d.hash = b.dictionary
    WHERE b.account_id = ${accountId}`;
  if (row === undefined) throw new Error('no row');
  return row;
}

test('later pages of a host are stored as differences to an earlier one, which is kept longer', async () => {
  const own = createBlobStore(database.db, 1_000_000);
  const pages = Array.from({ length: 20 }, (_, number) => sitePage(number));
  const [first] = await own.put('acc_like', pages.slice(0, 1));
  const alone = await own.usedBytes('acc_like');
  const hashes = [first, ...(await own.put('acc_like', pages.slice(1)))].map(required);
  const stored = await storedOf('acc_like');
  expect(stored).toMatchObject({ named: 19, short: 0 });
  expect((stored.bytes - alone) / 19).toBeLessThan(alone / 4);
  // Another process knows nothing of the first one's choice.
  const other = createBlobStore(database.db, 1_000_000);
  for (const [index, hash] of hashes.entries()) {
    expect(await other.get('acc_like', hash)).toEqual(pages[index]?.bytes);
    expect(await other.get('acc_strange', hash)).toBeUndefined();
  }
});

test('whatever is stored when, what has not expired can be read', async () => {
  const day = fc.record({
    process: fc.nat({ max: 1 }),
    pages: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 }),
    hours: fc.nat({ max: 60 }),
    begins: fc.boolean(),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(day, { maxLength: 12 }), async (days) => {
      runs += 1;
      const account = `acc_any_${runs}`;
      const open = () => createBlobStore(database.db, 1_000_000);
      const stores = [open(), open()];
      const known = new Map<string, Buffer>();
      let age = 0;
      for (const { process, pages, hours, begins } of days) {
        if (begins) stores[process] = open();
        const blobs = pages.map((number) => sitePage(number, number % 5 === 0 ? 'b.example' : 'a.example'));
        const hashes = (await stores[process]?.put(account, blobs)) ?? [];
        for (const [index, hash] of hashes.entries())
          known.set(required(hash), blobs[index]?.bytes ?? Buffer.of());
        await database.db.sql`
          UPDATE gleaner.blobs SET expires_at = expires_at - ${hours}::int * interval '1 hour'
          WHERE account_id = ${account}`;
        age += hours;
        // A process chooses another dictionary after a day.
        if (age >= 24) {
          stores.splice(0, 2, open(), open());
          age = 0;
        }
        await stores[0]?.removeExpired();
        const alive = await database.db.sql<{ hash: string }[]>`
          SELECT encode(hash, 'hex') AS hash FROM gleaner.blobs WHERE account_id = ${account}`;
        expect((await storedOf(account)).short).toBe(0);
        for (const { hash } of alive) expect(await open().get(account, hash)).toEqual(known.get(hash));
      }
    }),
    { numRuns: 25 },
  );
});
