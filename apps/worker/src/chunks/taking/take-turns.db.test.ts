import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import { type Services } from '@gleaner/core';
import { createTestAccount, openTestServices, type TestServices } from '@gleaner/core/testing';
import { bothBackends } from '@gleaner/db/testing';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import {
  answer,
  awaitEnd,
  readCounts,
  startWorker,
  submitRun,
  type TestWorker,
} from '../testing/chunk-harness.ts';

const NAME = 'batch-http';

function urls(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `http://a.test/${place}`);
}

bothBackends('turns of a worker', (backend) => {
  let opened: TestServices;
  let services: Services;
  const workers: TestWorker[] = [];

  beforeAll(async () => {
    opened = await openTestServices(backend);
    services = opened.services;
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  afterAll(() => opened.close());

  const account = async (concurrency = 8): Promise<string> =>
    (await createTestAccount(services, { concurrency, credits: 100_000 })).accountId;
  /** A worker whose pages take so long; returns when each began. */
  const startPages = async (pageMs: number, capacity?: number): Promise<number[]> => {
    const begun: number[] = [];
    const behave = async (input: string) => {
      begun.push(performance.now());
      await delay(pageMs);
      return answer(input);
    };
    workers.push(await startWorker(services, behave, capacity === undefined ? {} : { capacity }));
    return begun;
  };

  it('shows account, run and range of each chunk in its job, and a line in the log when it ends', async () => {
    await startPages(1);
    const [first, second] = [await account(), await account()];
    const runs = [
      await submitRun(services, first, urls(40)),
      await submitRun(services, second, ['http://b.test/']),
    ];
    for (const { no } of runs) await awaitEnd(services, no);
    const queue = services.queue.queue(NAME);
    await expect
      .poll(async () => {
        const jobs = await queue.getJobs(['completed']);
        return jobs.flatMap(({ data }) => data.chunks ?? []);
      })
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            account: first,
            run: runs[0]?.id,
            range: expect.stringMatching(/^\d+-\d+$/),
          }),
          { account: second, run: runs[1]?.id, range: '0-0' },
        ]),
      );
    const jobs = await queue.getJobs(['completed']);
    const logs = await Promise.all(jobs.map(({ id }) => queue.getJobLogs(id ?? '')));
    const lines = logs.flatMap((found) => found.logs.flatMap((log) => log.split('\n')));
    expect(lines).toContain(`${second} ${runs[1]?.id} 0-0: 1 succeeded, 0 failed, 0 given back`);
  });

  it('begins no pages when its queue is paused, and goes on after that', async () => {
    const begun = await startPages(20);
    const { no } = await submitRun(services, await account(), urls(1_500));
    await expect.poll(() => begun.length).toBeGreaterThan(20);
    const queue = services.queue.queue(NAME);
    await queue.pause();
    const atPause = begun.length;
    await expect.poll(async () => (await readCounts(services, no)).running).toBe(0);
    // It notices within a second. 400 pages begin in one, or fewer on a busy machine, where it notices late.
    expect(begun.length - atPause).toBeLessThan(800);
    const count = begun.length;
    await queue.resume();
    await expect.poll(() => begun.length).toBeGreaterThan(count);
    await services.db
      .sql`SELECT ${services.db.sql(ENGINE)}.cancel_run(account_id, id) FROM gleaner.runs WHERE no = ${no}`;
  });

  it('goes on after the queue lost everything, on a quiet machine within three seconds', async () => {
    const begun = await startPages(20);
    const { no } = await submitRun(services, await account(), urls(2_000));
    await expect.poll(() => begun.length).toBeGreaterThan(20);
    await services.queue.queue(NAME).obliterate({ force: true });
    const lostAt = performance.now();
    const late = await submitRun(services, await account(), urls(5));
    await services.queue.queue(NAME).obliterate({ force: true });
    expect(await awaitEnd(services, late.no)).toMatchObject({ succeeded: 5 });
    const endedAt = performance.now();
    const after = begun.filter((at) => at > lostAt);
    expect(after.length).toBeGreaterThan(5);
    const gaps = after.map((at, place) => at - (after[place - 1] ?? lostAt));
    if (inject('isLong')) expect(Math.max(endedAt - lostAt, ...gaps)).toBeLessThan(3_000);
    await services.db
      .sql`SELECT ${services.db.sql(ENGINE)}.cancel_run(account_id, id) FROM gleaner.runs WHERE no = ${no}`;
  });

  it('an idle worker is called for what a full one leaves', async () => {
    const first = await startPages(300, 4);
    const { no } = await submitRun(services, await account(40), urls(60));
    await expect.poll(() => first.length).toBe(4);
    const second = await startPages(300, 40);
    await expect.poll(() => second.length).toBeGreaterThan(20);
    expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 60 });
  });

  it('an account has all of its slots in use when two workers have them together', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let underWay = 0;
    const behave = async (input: string) => {
      underWay += 1;
      await released;
      return answer(input);
    };
    for (let count = 0; count < 2; count += 1)
      workers.push(await startWorker(services, behave, { capacity: 8 }));
    const { no } = await submitRun(services, await account(12), urls(60));
    await expect.poll(() => underWay).toBe(12);
    release();
    expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 60 });
  });
});
