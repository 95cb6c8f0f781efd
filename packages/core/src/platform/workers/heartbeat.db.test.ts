import { afterAll, expect, it } from 'vitest';
import { openTestServices } from '../../testing/test-services.ts';
import { ALIVE_SECONDS, beat, isServed, listLiveWorkers } from './heartbeat.ts';

const { services, close } = await openTestServices();
const { db } = services;
afterAll(close);

it('heartbeats are not in the log of Postgres, with their 20 KB of metrics', async () => {
  const metrics = Array.from({ length: 400 }, (_, count) => ({ name: `metric_${count}`, values: [count] }));
  await beat(db, { workerId: 'wrk_a', engines: ['http'], refuses: null, metrics });
  await beat(db, { workerId: 'wrk_a', engines: ['http'], refuses: null });
  expect(await listLiveWorkers(db)).toMatchObject([{ id: 'wrk_a', refuses: null }]);
  const tables = await db.sql<{ persistence: string }[]>`
    SELECT t.relpersistence AS persistence FROM pg_class t
    WHERE t.oid = 'gleaner.workers'::regclass
      OR t.oid = (SELECT c.reltoastrelid FROM pg_class c WHERE c.oid = 'gleaner.workers'::regclass)`;
  expect(tables.map(({ persistence }) => persistence)).toEqual(['u', 'u']);
});

it('a worker whose heartbeats come late is alive, and one that refuses work is no dead one', async () => {
  const silent = (seconds: number) =>
    db.sql`UPDATE gleaner.workers SET seen_at = now() - ${seconds} * interval '1 second' WHERE id = 'wrk_b'`;
  const worker = { workerId: 'wrk_b', engines: ['browser'] } as const;
  expect(await isServed(db, 'browser')).toBeUndefined();
  await beat(db, { ...worker, refuses: null });
  await silent(ALIVE_SECONDS / 2);
  expect(await isServed(db, 'browser')).toBe(true);
  await silent(ALIVE_SECONDS + 1);
  expect(await isServed(db, 'browser')).toBeUndefined();
  await beat(db, { ...worker, refuses: 'memory' });
  expect(await isServed(db, 'browser')).toBe(false);
});
