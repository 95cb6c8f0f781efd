import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createChunkWriter,
  MAX_STARTS,
  NOTHING,
  takeChunks,
  type Services,
  type SinkWriter,
} from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import {
  createTestAccount,
  openTestServices,
  type TestServices,
  createChunkSweeper,
  sweepChunks,
} from '@gleaner/core/testing';
import { eitherBackend } from '@gleaner/db/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  answer,
  awaitEnd,
  readCounts,
  startWorker,
  submitRun,
  type TestWorker,
} from '../testing/chunk-harness.ts';

function urls(count: number, host = 'a'): string[] {
  return Array.from({ length: count }, (_, place) => `http://${host}.test/${place}`);
}

eitherBackend('chunks', 'redis', (backend) => {
  let opened: TestServices;
  let services: Services;
  const workers: TestWorker[] = [];

  beforeAll(async () => {
    opened = await openTestServices(backend);
    services = opened.services;
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    expect(await findViolations(services.db)).toEqual([]);
  });
  afterAll(() => opened.close());

  const account = async (concurrency = 20, credits = 10_000): Promise<string> =>
    (await createTestAccount(services, { concurrency, credits, name: `${backend.kind} ${Math.random()}` }))
      .accountId;

  it('gives every input one outcome and charges each success once', async () => {
    workers.push(
      await startWorker(services, async (input) => {
        await delay(1);
        return input.endsWith('7') ? { ok: false, error: { code: 'target_not_found' } } : answer(input);
      }),
    );
    const { no } = await submitRun(services, await account(), urls(1_000));
    const counts = await awaitEnd(services, no);
    expect(counts).toMatchObject({
      state: 'succeeded',
      total: 1_000,
      succeeded: 900,
      failed: 100,
      pending: 0,
    });
    const rows = await services.db.sql`
      SELECT t.input, o.answer FROM gleaner.results o JOIN gleaner.tasks t USING (run_no, seq) WHERE run_no = ${no} AND ok`;
    expect(rows.every((row) => row.answer === JSON.stringify({ input: row.input }))).toBe(true);
  });

  it('never has more under way than the account may, and counts that add up at any moment', async () => {
    let running = 0;
    let most = 0;
    workers.push(
      await startWorker(services, async (input) => {
        running += 1;
        most = Math.max(most, running);
        await delay(5);
        running -= 1;
        return answer(input);
      }),
    );
    const accountId = await account(11);
    const runs = await Promise.all([
      submitRun(services, accountId, urls(400)),
      submitRun(services, accountId, urls(300)),
    ]);
    for (let round = 0; round < 20; round += 1) {
      for (const { no } of runs) {
        const { total, pending, running: now, succeeded, failed, cancelled } = await readCounts(services, no);
        expect(pending + now + succeeded + failed + cancelled).toBe(total);
        expect(pending).toBeGreaterThanOrEqual(0);
      }
      await delay(10);
    }
    for (const { no } of runs) await awaitEnd(services, no);
    expect(most).toBeLessThanOrEqual(11);
    expect(most).toBeGreaterThan(8);
  });

  it('tries again what can heal, with back-off, and not what cannot', async () => {
    const tries = new Map<string, number>();
    workers.push(
      await startWorker(services, async (input) => {
        const count = (tries.get(input) ?? 0) + 1;
        tries.set(input, count);
        if (input.endsWith('3') && count < 2) return { ok: false, error: { code: 'fetch_failed' } };
        if (input.endsWith('4')) return { ok: false, error: { code: 'fetch_failed', detail: 'refused' } };
        if (input.endsWith('5')) return { ok: false, error: { code: 'fetch_failed', retryable: false } };
        return answer(input);
      }),
    );
    const { no } = await submitRun(services, await account(), urls(50), { config: { retries: 1 } });
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 40, failed: 10 });
    expect(tries.get('http://a.test/3')).toBe(2);
    expect(tries.get('http://a.test/4')).toBe(2);
    expect(tries.get('http://a.test/5')).toBe(1);
    const [row] = await services.db
      .sql`SELECT attempts, error FROM gleaner.results WHERE run_no = ${no} AND seq = 4`;
    expect(row).toMatchObject({ attempts: 2, error: { code: 'fetch_failed', detail: 'refused' } });
  });

  it('a result that Postgres refuses ends its own task alone, and each page is fetched once', async () => {
    const fetched = new Map<string, number>();
    workers.push(
      await startWorker(services, async (input) => {
        fetched.set(input, (fetched.get(input) ?? 0) + 1);
        // Answers travel one per line, so a line break makes two of one.
        return input.endsWith('7') ? { ...answer(input), answer: '{"a":\n1}' } : answer(input);
      }),
    );
    const { no } = await submitRun(services, await account(), urls(30));
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 27, failed: 3 });
    const rows = await services.db
      .sql`SELECT seq, error FROM gleaner.results WHERE run_no = ${no} AND NOT ok ORDER BY seq`;
    expect(rows.map(({ seq, error }) => [seq, error.code])).toEqual([
      [7, 'internal'],
      [17, 'internal'],
      [27, 'internal'],
    ]);
    expect([...fetched.values()].filter((count) => count > 1)).toEqual([]);
  });

  it('a job whose result is no jsonb ends', async () => {
    workers.push(
      await startWorker(services, async (input) => ({ ...answer(input), answer: String.raw`"\ud83d"` })),
    );
    const { no } = await submitRun(services, await account(), urls(1), { kind: 'job' });
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 1 });
  });

  it('work that no end is stored of is begun a bounded number of times', async () => {
    const { db } = services;
    const { no } = await submitRun(services, await account(), urls(2));
    await takeChunks(services, { queue: 'batch-http', workerId: 'wkr_gone', slots: 64, freed: [] });
    await db.sql`UPDATE gleaner.chunks SET starts = ${MAX_STARTS}, lease_until = now() - interval '1 minute'
      WHERE run_no = ${no}`;
    await sweepChunks(services, (await db.sql`SELECT now()::text AS now`)[0]?.now);
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'failed', failed: 2 });
  });

  it('never charges more than max_credits', async () => {
    workers.push(
      await startWorker(services, async (input) =>
        Number(input.split('/').at(-1)) < 50
          ? { ok: false, error: { code: 'target_not_found' } }
          : answer(input),
      ),
    );
    const { no } = await submitRun(services, await account(), urls(500), { price: 5, maxCredits: 104 });
    expect(await awaitEnd(services, no)).toMatchObject({
      state: 'succeeded',
      succeeded: 20,
      failed: 50,
      cancelled: 430,
    });
  });

  it('charges each page what it cost, and begins others with the credits that are left', async () => {
    workers.push(
      await startWorker(services, async (input) => ({
        ...answer(input),
        ...(input.endsWith('7') ? {} : { price: 1 }),
      })),
    );
    const options = { price: 5, leastPrice: 1, maxCredits: 104 };
    const { no } = await submitRun(services, await account(), urls(500), options);
    const { succeeded } = await awaitEnd(services, no);
    const [{ used, paid } = { used: 0, paid: 0 }] = await services.db.sql<{ used: number; paid: number }[]>`
      SELECT r.used::int, sum(CASE WHEN t.input LIKE '%7' THEN 5 ELSE 1 END)::int AS paid FROM gleaner.runs r
      JOIN gleaner.results o ON o.run_no = r.no AND o.ok JOIN gleaner.tasks t ON t.run_no = r.no AND t.seq = o.seq
      WHERE r.no = ${no} GROUP BY r.used`;
    expect(used).toBe(paid);
    expect(used).toBeLessThanOrEqual(104);
    // Another page at the dearest price would not fit.
    expect(used).toBeGreaterThan(104 - 5);
    expect(succeeded).toBeGreaterThan(20);
  });

  it('cancels in one step: aborts what runs, frees slots and credits at once', async () => {
    let aborted = 0;
    workers.push(
      await startWorker(services, async (input, signal) => {
        if (Number(input.split('/').at(-1)) < 5) return answer(input);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted += 1;
            reject(new Error('aborted'));
          });
        });
      }),
    );
    const accountId = await account(10);
    const { id, no } = await submitRun(services, accountId, urls(100));
    for (let round = 0; round < 100 && (await readCounts(services, no)).succeeded < 5; round += 1)
      await delay(50);
    const [outcome] = await services.db
      .sql`SELECT outcome FROM ${services.db.sql(ENGINE)}.cancel_run(${accountId}, ${id})`;
    expect(outcome).toEqual({ outcome: 'cancelled' });
    expect(await readCounts(services, no)).toMatchObject({
      state: 'cancelled',
      succeeded: 5,
      running: 0,
      pending: 0,
      cancelled: 95,
    });
    const [after] = await services.db.sql`SELECT ${services.db.sql(
      ENGINE,
    )}.slots_used(id) AS slots, reserved::int, used::int FROM gleaner.accounts WHERE id = ${accountId}`;
    expect(after).toEqual({ slots: 0, reserved: 0, used: 5 });
    await expect.poll(() => aborted).toBe(10);
  });

  it('runs what a dead worker held again, and fails alone a task with which three died', async () => {
    const accountId = await account(8);
    const { no } = await submitRun(services, accountId, urls(20));
    // Deaths: workers take all chunks, end those without the task, and let the lease of the other one run out.
    for (let death = 0; death < 3; death += 1) {
      const workerId = `wrk_dead_${death}`;
      const writer = createChunkWriter(services, workerId);
      const { chunks } = await takeChunks(services, { queue: 'batch-http', workerId, slots: 64, freed: [] });
      for (const chunk of chunks.filter(({ seqs }) => !seqs.includes(7))) {
        await writer.write(chunk, NOTHING, { end: { retries: [], left: chunk.seqs, busyMs: 0 } });
      }
      await services.db.sql`
        UPDATE gleaner.chunks SET lease_until = now() - interval '1 s' WHERE run_no = ${no} AND state = 'running'`;
      await sweepChunks(services, new Date().toISOString());
    }
    workers.push(await startWorker(services, async (input) => answer(input)));
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 19, failed: 1 });
    const [row] = await services.db
      .sql`SELECT seq, attempts, error ->> 'detail' AS detail FROM gleaner.results WHERE run_no = ${no} AND NOT ok`;
    expect(row).toEqual({ seq: 7, attempts: 3, detail: '3 workers died while they ran this task' });
  });

  const LEASE_MS = 2_000;

  it('fetches nothing twice while rows take longer to be written than a lease lasts', async () => {
    let fetched = 0;
    const slowSink: SinkWriter = {
      kind: 'postgres',
      keyColumns: () => [],
      toRows: () => ({ rows: [] }),
      prepare: () => Promise.resolve(false),
      settledRows: () => {
        throw new Error('not managed');
      },
      writeExternal: () => delay(LEASE_MS + 1_000, new Map()),
      recover: () => Promise.resolve(false),
    };
    workers.push(
      await startWorker(
        services,
        (input) => {
          fetched += 1;
          return Promise.resolve(answer(input));
        },
        { openSink: () => Promise.resolve(slowSink), leaseMs: LEASE_MS },
      ),
    );
    const sink = {
      mode: 'database',
      database: 'db_test',
      table: 't',
      contract: 'evolve',
      nulls: 'keep',
    } as const;
    const { no } = await submitRun(services, await account(), urls(5), { sink });
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: 5 });
    expect(fetched).toBe(5);
  });

  it('gives a small run its turn beside a large one of the same account', async () => {
    workers.push(
      await startWorker(services, async (input) => {
        await delay(20);
        return answer(input);
      }),
    );
    const accountId = await account(16, 100_000);
    const large = await submitRun(services, accountId, urls(20_000));
    await delay(700);
    const small = await submitRun(services, accountId, urls(50, 'small'));
    const counts = await awaitEnd(services, small.no);
    expect(counts.succeeded).toBe(50);
    expect((await readCounts(services, large.no)).state).toBe('running');
    await services.db.sql`SELECT ${services.db.sql(ENGINE)}.cancel_run(${accountId}, ${large.id})`;
  });

  it('holds neither slots nor tasks for one slow page when others wait', async () => {
    const slow = Promise.withResolvers<void>();
    workers.push(
      await startWorker(services, async (input) => {
        if (input === 'http://a.test/0') await slow.promise;
        else await delay(150);
        return answer(input);
      }),
    );
    const accountId = await account(8);
    const large = await submitRun(services, accountId, urls(60));
    await delay(400);
    const small = await submitRun(services, accountId, urls(8, 'small'));
    expect(await awaitEnd(services, small.no)).toMatchObject({ succeeded: 8 });
    await expect
      .poll(async () => readCounts(services, large.no))
      .toMatchObject({ state: 'running', succeeded: 59, running: 1 });
    slow.resolve();
    expect(await awaitEnd(services, large.no)).toMatchObject({ state: 'succeeded', succeeded: 60 });
  });

  it('tasks whose host has no turn hold no slot, and lose none of their attempts', async () => {
    const visits = new Map<string, number>();
    workers.push(
      await startWorker(services, async (input) => {
        const visit = (visits.get(input) ?? 0) + 1;
        visits.set(input, visit);
        if (!input.includes('busy') || visit > 2) return answer(input);
        return { ok: false, error: { code: 'fetch_failed' }, retryAfterMs: 300, isUncounted: true };
      }),
    );
    const accountId = await account(2);
    const inputs = [...urls(20, 'busy'), ...urls(20)];
    const { no } = await submitRun(services, accountId, inputs, { config: { retries: 0 } });
    expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 40, failed: 0 });
    const attempts = await services.db
      .sql`SELECT DISTINCT attempts FROM gleaner.results WHERE run_no = ${no}`;
    expect(attempts).toEqual([{ attempts: 1 }]);
  });

  it('has as many pages under way as it may, also when they last so long that chunks have single slots', async () => {
    let underWay = 0;
    const seen: number[] = [];
    workers.push(
      await startWorker(
        services,
        async (input, signal) => {
          underWay += 1;
          seen.push(underWay);
          const place = Number(input.split('/').at(-1));
          await delay(100 + ((place * 7_919) % 2_000), undefined, { signal }).finally(() => {
            underWay -= 1;
          });
          return answer(input);
        },
        { capacity: 16 },
      ),
    );
    const accountId = await account(16);
    const { id } = await submitRun(services, accountId, urls(400));
    const sweep = createChunkSweeper(services);
    await expect.poll(async () => sweep().then(() => seen.length)).toBeGreaterThan(280);
    await services.db.sql`SELECT ${services.db.sql(ENGINE)}.cancel_run(${accountId}, ${id})`;
    const late = seen.slice(200);
    expect(late.reduce((sum, count) => sum + count, 0) / late.length).toBeGreaterThan(11.5);
  });
});
