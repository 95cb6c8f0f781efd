import { waysOf } from '@gleaner/contracts';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { createWayMemory, readExpectedPrice, wayKey, type WayKey } from './way-memory.ts';

const { db, close } = await createTestDatabase();
afterAll(close);

const log = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) };
const target = { type: 'parser', parserId: 'prs_1', version: 1 } as const;
const ways = waysOf({ escalate: 'browser' });
let accounts = 0;
function ofAccount(host = 'a.test'): WayKey {
  accounts += 1;
  return wayKey(`acc_${accounts}`, host, target);
}

it('what one worker saw of a host another one knows, and what its pages will cost', async () => {
  const key = ofAccount();
  const first = createWayMemory(db, log);
  for (let page = 0; page < 8; page += 1) {
    expect(await first.advise(key, 0)).toBe('go');
    first.note(key, 0, 'climbed');
  }
  expect(await first.advise(key, 0)).toBe('skip');
  await first.close();
  const second = createWayMemory(db, log);
  expect(await second.advise(key, 0)).toBe('skip');
  second.note(key, 0, 'read');
  expect(await second.advise(key, 0)).toBe('go');
  expect(await readExpectedPrice(db, ways, new Map([[key, 10]]))).toBe(5);
  await second.close();
  expect(await readExpectedPrice(db, ways, new Map([[key, 10]]))).toBeGreaterThan(4);
  expect(
    await readExpectedPrice(
      db,
      ways,
      new Map([
        [key, 1],
        [ofAccount(), 3],
      ]),
    ),
  ).toBeLessThan(2.1);
});

it('two workers add to each other what they saw', async () => {
  const key = ofAccount();
  const workers = [createWayMemory(db, log), createWayMemory(db, log)];
  for (const worker of workers) for (let page = 0; page < 4; page += 1) worker.note(key, 0, 'climbed');
  for (const worker of workers) await worker.close();
  const third = createWayMemory(db, log);
  expect(await third.read(key, 0)).toMatchObject({ known: 8, last: 255 });
  await third.close();
});

it('stores no host of which no page had to climb, and of an account no more than a thousand', async () => {
  const memory = createWayMemory(db, log);
  const plain = ofAccount('plain.test');
  for (let page = 0; page < 20; page += 1) memory.note(plain, 0, 'read');
  for (let host = 0; host < 1_200; host += 1)
    memory.note(wayKey('acc_many', `h${host}.test`, target), 0, 'climbed');
  await memory.close();
  const count = async (prefix: string): Promise<number> => {
    const rows = await db.sql`SELECT 1 FROM gleaner.rate_limits WHERE starts_with(key, ${`way:0 ${prefix}`})`;
    return rows.length;
  };
  expect([await count(plain), await count('acc_many')]).toEqual([0, 1_000]);
});

it('without Postgres nothing is known', async () => {
  const { db: gone, close: end } = await createTestDatabase();
  await end();
  const memory = createWayMemory(gone, { warn: () => undefined });
  expect(await memory.advise(ofAccount(), 0)).toBe('go');
  await memory.close();
});
