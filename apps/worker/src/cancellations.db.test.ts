import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { ENGINE, createDatabase, type Database } from '@gleaner/db';
import { createQueueBackend, type QueueBackend } from '@gleaner/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCancellations, type Cancellations } from './cancellations.ts';

let database: TestDatabase;
let db: Database;
let queue: QueueBackend;
let cancellations: Cancellations;

beforeAll(async () => {
  database = await createTestDatabase();
  // With one connection, notices are handled in order.
  db = createDatabase(database.url, { max: 1 });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  queue = await createQueueBackend({ redisUrl: undefined, databaseUrl: database.url, log });
  cancellations = await openCancellations({ db, queue });
});
afterAll(async () => {
  await cancellations.close();
  await queue.close();
  await db.close();
  await database.close();
});

async function insertRequest(id: string, account: string, state: string): Promise<void> {
  await database.db
    .sql`INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, lease_until, deadline_at)
    VALUES (${id}, ${account}, 'task', ${state}, 'interactive-http', 1, now() + interval '1 m', now() + interval '1 m')`;
}

async function notify(notice: string): Promise<void> {
  const [channel] = await database.db.sql<
    { name: string }[]
  >`SELECT ${database.db.sql(ENGINE)}.notice_channel() AS name`;
  queue.signals.send(channel?.name ?? '', notice);
}

it('only a genuine notice stops work', async () => {
  await insertRequest('tsk_running', 'acc_calm', 'running');
  await insertRequest('tsk_cancelled', 'acc_calm', 'cancelled');
  await insertRequest('tsk_waiting', 'acc_pressed', 'waiting');
  const forged = ['tsk_running', '1234567890', '9999999999999999999999', 'yield:acc_calm'].map(
    (id) => [id, cancellations.watch(id)] as const,
  );
  const real = ['tsk_cancelled', 'yield:acc_pressed'].map((id) => [id, cancellations.watch(id)] as const);
  for (const [id] of [...forged, ...real]) await notify(id);
  for (const [, work] of real) await expect.poll(() => work.signal.aborted).toBe(true);
  for (const [, work] of forged) expect(work.signal.aborted).toBe(false);
});

it('nothing that every login may read contains the name of the channel', async () => {
  const [row] = await database.db.sql`
    SELECT ${database.db.sql(ENGINE)}.notice_channel() ~ '^gleaner_[0-9a-f]{32}$' AS random,
      (SELECT count(*)::int FROM pg_proc WHERE strpos(prosrc, ${database.db.sql(ENGINE)}.notice_channel()) > 0) AS leaks,
      EXISTS (SELECT 1 FROM pg_namespace n, aclexplode(n.nspacl) a
        WHERE (n.nspname = 'gleaner' OR n.nspname LIKE 'engine%') AND a.grantee = 0) AS is_open`;
  expect(row).toEqual({ random: true, leaks: 0, is_open: false });
});
