import { createLogger } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { bothBackends, createTestDatabase } from '@gleaner/db/testing';
import {
  createQueueBackend,
  membersOf,
  payloadSchema,
  requestDeliveries,
  type QueueBackend,
  type RequestMember,
} from '@gleaner/queue';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { takeRequests, type RequestTaker } from './take-requests.ts';

const QUEUE = 'interactive-http';
const log = createLogger('worker', 'silent');

/** A worker whose requests run until the test ends them. */
interface HeldWorker {
  taker: RequestTaker;
  running: Map<string, () => void>;
  /** The most requests at once. */
  peak: () => number;
}

bothBackends('requests of an interactive queue', (backend) => {
  let queue: QueueBackend;
  let db: Database;
  let close: () => Promise<void>;
  const workers: HeldWorker[] = [];

  beforeAll(async () => {
    const database = await createTestDatabase();
    db = createDatabase(database.url, { max: 2 });
    queue = await createQueueBackend({ redisUrl: backend.redisUrl, databaseUrl: database.url, log });
    close = async () => {
      await queue.close();
      await db.close();
      await database.close();
    };
  });
  afterEach(async () => {
    const all = workers.splice(0);
    const ending = setInterval(() => all.forEach(({ running }) => running.forEach((end) => end())), 10);
    await Promise.all(all.map(({ taker }) => taker.close()));
    clearInterval(ending);
    await queue.queue(QUEUE).obliterate({ force: true });
  });
  afterAll(() => close());

  const startWorker = (capacity: number): HeldWorker => {
    const running = new Map<string, () => void>();
    let peak = 0;
    const run = async ({ id }: RequestMember): Promise<undefined> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(id, resolve);
      peak = Math.max(peak, running.size);
      await promise;
      running.delete(id);
    };
    const taker = takeRequests({ db, queue, log, run }, QUEUE, capacity);
    const worker = { taker, running, peak: () => peak };
    workers.push(worker);
    return worker;
  };

  const deliver = async (account: string, count: number, firstRank = 1): Promise<string[]> => {
    const members = Array.from({ length: count }, (_, index) => ({
      id: `${account}${index}`,
      attempt: 1,
      account,
      rank: firstRank + index,
    }));
    await queue.deliver(requestDeliveries(QUEUE, members));
    return members.map(({ id }) => id);
  };

  const inActiveJobs = async (): Promise<{ id: string; account: string }[]> => {
    const jobs = await queue.queue(QUEUE).getJobs(['active']);
    return jobs.flatMap(({ data }) => membersOf(payloadSchema.parse(data)));
  };

  it('a group travels in one job, which lists its members while they run', async () => {
    const ids = await deliver('a', 8);
    expect((await queue.counts(QUEUE)).prioritized).toBe(1);
    const { running } = startWorker(16);
    await expect.poll(() => [...running.keys()].toSorted()).toEqual(ids);
    const shown = await inActiveJobs();
    expect(shown.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(new Set(shown.map(({ account }) => account))).toEqual(new Set(['a']));
    running.forEach((end) => end());
    await expect.poll(async () => (await queue.counts(QUEUE)).active).toBe(0);
  });

  it('what has no room in a worker runs in another one, and a job lists only what runs', async () => {
    const full = startWorker(4);
    const ids = await deliver('a', 10);
    await expect.poll(() => full.running.size).toBe(4);
    const idle = startWorker(16);
    await expect.poll(() => full.running.size + idle.running.size).toBe(10);
    expect(full.peak()).toBe(4);
    await expect.poll(async () => (await inActiveJobs()).map(({ id }) => id).toSorted()).toEqual(ids);
  });

  it('never more requests run than the capacity, and all run', async () => {
    const worker = startWorker(3);
    const seen = new Set<string>();
    const ids = [...(await deliver('a', 20)), ...(await deliver('b', 20))];
    await expect
      .poll(
        () => {
          for (const [id, end] of worker.running) {
            seen.add(id);
            end();
          }
          return seen.size;
        },
        { interval: 5 },
      )
      .toBe(ids.length);
    // A quarter more than the capacity, at least one, is for accounts below their share.
    expect(worker.peak()).toBeLessThanOrEqual(4);
  });

  it('another account starts at once while one holds the whole capacity', async () => {
    const { running } = startWorker(4);
    await deliver('a', 16);
    await expect.poll(() => running.size).toBe(4);
    await deliver('b', 1);
    await expect.poll(() => running.has('b0')).toBe(true);
    expect([...running.keys()].filter((id) => id.startsWith('a'))).toHaveLength(4);
  });

  it('a slow request does not keep its worker from the next job', async () => {
    const { running } = startWorker(4);
    await deliver('a', 4);
    await expect.poll(() => running.size).toBe(4);
    for (const id of ['a1', 'a2', 'a3']) running.get(id)?.();
    await deliver('c', 3);
    await expect.poll(() => [...running.keys()].toSorted()).toEqual(['a0', 'c0', 'c1', 'c2']);
  });

  it('a paused worker takes nothing, and goes on when resumed', async () => {
    const [first, second] = [startWorker(4), startWorker(4)];
    await first.taker.pause();
    await deliver('a', 2);
    await expect.poll(() => second.running.size).toBe(2);
    expect(first.peak()).toBe(0);
    await second.taker.pause();
    first.taker.resume();
    await deliver('b', 1);
    await expect.poll(() => first.running.has('b0')).toBe(true);
  });

  it('a request of an earlier version runs, and a job of a later version waits for its worker', async () => {
    const { running } = startWorker(4);
    await queue.queue(QUEUE).add('later', { kind: 'later', id: 'x' }, { jobId: 'later-1' });
    await queue.deliver([
      { queue: QUEUE, jobId: 'old-1', payload: { kind: 'request', id: 'old', attempt: 1 }, priority: 1 },
    ]);
    await expect.poll(() => running.has('old')).toBe(true);
    await expect.poll(async () => (await queue.counts(QUEUE)).delayed).toBe(1);
    expect(await queue.queue(QUEUE).getJob('later-1')).toMatchObject({ data: { kind: 'later' } });
  });

  it('a worker that closes gives nothing up that runs', async () => {
    const worker = startWorker(4);
    await deliver('a', 2);
    await expect.poll(() => worker.running.size).toBe(2);
    let hasClosed = false;
    const closed = worker.taker.close().then(() => {
      hasClosed = true;
    });
    await expect.poll(() => worker.running.size).toBe(2);
    expect(hasClosed).toBe(false);
    worker.running.forEach((end) => end());
    await closed;
    expect((await queue.counts(QUEUE)).active).toBe(0);
  });
});
