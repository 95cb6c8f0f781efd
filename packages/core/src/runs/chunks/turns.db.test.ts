import { ENGINE, createDatabase, type Database } from '@gleaner/db';
import { afterAll, afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { beat } from '../../platform/workers/heartbeat.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { wakeLostTurns } from '../sweep/sweep-chunks.ts';
import { runTurns } from '../../testing/run-turns.ts';
import {
  ChunkLostError,
  type ChunkOutcomes,
  type TakenChunk,
  takeChunks,
  type FreedSlots,
} from './take-chunks.ts';
import { createChunkWriter } from './write-chunks.ts';
import { endRequest } from '../../testing/test-requests.ts';

const { services, database, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

beforeEach(async () => {
  await sql`TRUNCATE gleaner.turns, gleaner.workers`;
  await runTurns(services);
});

afterEach(async () => {
  const runs = await sql<{ id: string; account: string }[]>`
    SELECT id, account_id AS account FROM gleaner.runs WHERE state IN ('pending', 'running')`;
  for (const { id, account } of runs) await sql`SELECT 1 FROM ${sql(ENGINE)}.cancel_run(${account}, ${id})`;
  expect(await findViolations(services.db)).toEqual([]);
});

/** The inputs of an account, more than its share of a simulation. */
const TASKS = inject('isLong') ? 7_000 : 3_500;

async function submit(concurrency: number, tasks = TASKS): Promise<string> {
  const { accountId } = await createTestAccount(services, {
    credits: 1_000_000,
    concurrency,
    pendingLimit: 1_000_000,
  });
  await submitTestRun(services, accountId, testUrls(tasks));
  return accountId;
}

function take(slots: number, freed: readonly FreedSlots[] = [], workerId = 'wrk_a') {
  return takeChunks(services, { queue: 'batch-http', workerId, slots, freed });
}

/** A worker that stays alive on the simulated clock, however long its rounds take. */
async function beatForever(slots: number): Promise<void> {
  await beat(services.db, {
    workerId: 'wrk_a',
    engines: ['http'],
    refuses: null,
    capacity: { http: slots },
  });
  await sql`UPDATE gleaner.workers SET seen_at = now() + interval '1 hour'`;
}

function succeed(chunk: Pick<TakenChunk, 'seqs'>): ChunkOutcomes {
  return { succeeded: chunk.seqs, answers: chunk.seqs.map(() => '{}'), failed: [], errors: [] };
}

async function turnOf(accountId: string) {
  const [row] = await sql<{ state: string; served: number }[]>`
    SELECT state, served FROM gleaner.turns WHERE account_id = ${accountId} AND queue = 'batch-http'`;
  return row;
}

/** What max-min fairness gives each of these limits. */
function fairShares(limits: readonly number[], slots: number): number[] {
  const shares = limits.map(() => 0);
  let left = slots;
  let open = limits.map((_, index) => index);
  while (left > 1e-9 && open.length > 0) {
    const each = left / open.length;
    for (const index of open) {
      const more = Math.min(each, (limits[index] ?? 0) - (shares[index] ?? 0));
      shares[index] = (shares[index] ?? 0) + more;
      left -= more;
    }
    open = open.filter((index) => (limits[index] ?? 0) - (shares[index] ?? 0) > 1e-9);
  }
  return shares;
}

interface Running {
  chunk: TakenChunk;
  pageMs: number;
  endsAt: number;
}

interface Load {
  slots: number;
  /** How long a page of an account takes. */
  pageMs: (accountId: string) => number;
  forMs: number;
  /** Default: 0. */
  measuredFrom?: number;
}

/** A worker with `slots` slots on a simulated clock, with the leader's rounds. @returns the slot-milliseconds of each account */
async function simulate({ slots, pageMs, forMs, measuredFrom = 0 }: Load): Promise<Map<string, number>> {
  await beatForever(slots);
  const worker = createTestWorker(services, 'wrk_a');
  const had = new Map<string, number>();
  let running: Running[] = [];
  let leaderAt = 0;
  for (let now = 0; now < forMs;) {
    if (now >= leaderAt) {
      // What runs on the made-up clock keeps its lease.
      await sql`UPDATE gleaner.chunks SET lease_until = now() + interval '1 minute' WHERE state = 'running'`;
      await runTurns(services);
      leaderAt = now + 1_000;
    }
    const used = running.reduce((sum, { chunk }) => sum + chunk.slots, 0);
    for (const chunk of (await worker.take(slots - used)).chunks) {
      const ms = pageMs(chunk.accountId);
      running.push({ chunk, pageMs: ms, endsAt: now + Math.ceil(chunk.seqs.length / chunk.slots) * ms });
    }
    const until = Math.min(leaderAt, forMs, ...running.map(({ endsAt }) => endsAt));
    const measuredMs = until - Math.max(now, measuredFrom);
    for (const { chunk } of measuredMs > 0 ? running : [])
      had.set(chunk.accountId, (had.get(chunk.accountId) ?? 0) + chunk.slots * measuredMs);
    now = until;
    const ended = running.filter(({ endsAt }) => endsAt <= until);
    running = running.filter(({ endsAt }) => endsAt > until);
    for (const { chunk, pageMs: ms } of ended) await worker.endAll(chunk, 'succeed', chunk.seqs.length * ms);
  }
  for (const { chunk } of running) await worker.endAll(chunk, 'leave');
  // It says which slots it freed.
  await worker.take(0);
  return had;
}

/** Holds locks that `lock` takes, in a session of its own, while `work` runs. */
async function whileLocked(
  lock: (tx: Database['sql']) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const holder = createDatabase(database.url, { max: 1 });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const holding = holder.sql.begin(async (tx) => {
    await lock(tx as unknown as Database['sql']);
    begin();
    await isOver;
  });
  await hasBegun;
  try {
    await work();
  } finally {
    end();
    await holding;
    await holder.close();
  }
}

it.each([
  { limits: [400, ...Array.from({ length: 10 }, () => 8)], slots: 32, pages: [200] },
  // A turn that wakes goes on at the least time that others were served, so the smallest accounts lose some ties.
  { limits: [2, 4, 30, 30], slots: 24, pages: [200], least: 0.8 },
  { limits: [30, 30, 30], slots: 16, pages: [50, 200, 700] },
  { limits: [1, 1, 1, 5, 40], slots: 12, pages: [100, 400] },
])(
  'accounts of $limits have their share of $slots slots, with pages of $pages ms',
  async ({ limits, slots, pages, least = 0.85 }) => {
    const accounts = await Promise.all(limits.map((limit) => submit(limit)));
    const forMs = inject('isLong') ? 60_000 : 25_000;
    const measuredFrom = 5_000;
    const had = await simulate({
      slots,
      pageMs: (accountId) => pages[accounts.indexOf(accountId) % pages.length] ?? 0,
      forMs,
      measuredFrom,
    });
    const shares = fairShares(limits, slots);
    const ratios = accounts.map(
      (account, index) => (had.get(account) ?? 0) / ((shares[index] ?? 0) * (forMs - measuredFrom)),
    );
    expect(Math.min(...ratios), String(ratios)).toBeGreaterThan(least);
    expect(Math.max(...ratios), String(ratios)).toBeLessThan(1.15);
    const sum = [...had.values()].reduce((one, other) => one + other, 0);
    const possible = shares.reduce((one, other) => one + other, 0) * (forMs - measuredFrom);
    expect(sum / possible).toBeGreaterThan(0.97);
  },
);

it('80 accounts on 2 slots all have had a page after 80 takes of one page', async () => {
  for (let index = 0; index < 80; index += 1) await submit(8, 100);
  await beatForever(2);
  await runTurns(services);
  const worker = createTestWorker(services, 'wrk_a');
  const served = new Set<string>();
  const running = (await worker.take(1)).chunks;
  for (let takes = 1; takes <= 80; takes += 1) {
    for (const { accountId, seqs } of running.slice(-1)) {
      expect(seqs).toHaveLength(1);
      served.add(accountId);
    }
    // Two slots, so the chunk before the last one ends.
    if (running.length === 2)
      for (const chunk of running.splice(0, 1)) await worker.endAll(chunk, 'succeed', 2_000);
    if (takes < 80) running.push(...(await worker.take(1)).chunks);
    if (takes % 3 === 0) await runTurns(services);
  }
  expect(served.size).toBe(80);
});

it('free slots go to all accounts that wait', async () => {
  const busy = await submit(8);
  const late = await submit(8);
  const { chunks } = await take(16);
  expect(new Set(chunks.map(({ accountId }) => accountId))).toEqual(new Set([busy, late]));
  expect(chunks.reduce((sum, { slots }) => sum + slots, 0)).toBe(16);
});

it.each(['account', 'turn', 'run'] as const)(
  'a taker does not wait for a locked %s, and takes of others',
  async (what) => {
    const locked = await submit(16);
    const other = await submit(16);
    const locks = {
      account: (tx: Database['sql']) => tx`SELECT 1 FROM gleaner.accounts WHERE id = ${locked} FOR UPDATE`,
      turn: (tx: Database['sql']) => tx`SELECT 1 FROM gleaner.turns WHERE account_id = ${locked} FOR UPDATE`,
      run: (tx: Database['sql']) => tx`SELECT 1 FROM gleaner.runs WHERE account_id = ${locked} FOR UPDATE`,
    };
    const name = new URL(database.url).pathname.slice(1);
    await sql.unsafe(`ALTER DATABASE "${name}" SET lock_timeout = '1ms'`);
    const impatient = createDatabase(database.url, { max: 1 });
    try {
      await whileLocked(locks[what], async () => {
        const { chunks, missed } = await takeChunks(
          { db: impatient },
          {
            queue: 'batch-http',
            workerId: 'wrk_a',
            slots: 16,
            freed: [locked, other].map((account) => ({ account, ms: 0, isMore: false })),
          },
        );
        // A take reads accounts and changes none.
        const taken = new Set(chunks.map(({ accountId }) => accountId));
        expect(taken).toEqual(new Set(what === 'account' ? [locked, other] : [other]));
        expect(missed).toEqual(what === 'turn' ? [locked] : []);
      });
      expect((await take(100)).chunks.length).toBeGreaterThan(0);
      expect((await turnOf(locked))?.state).toBe('full');
    } finally {
      await sql.unsafe(`ALTER DATABASE "${name}" RESET lock_timeout`);
      await impatient.close();
    }
  },
);

it('who has another token cannot write, whatever else is equal', async () => {
  await submit(4, 4);
  const { chunks } = await take(1);
  const [chunk] = chunks;
  if (!chunk) throw new Error('nothing was taken');
  const writer = createChunkWriter(services, 'wrk_a');
  const stranger = { ...chunk, token: String(BigInt(chunk.token) + 1n) };
  const end = { retries: [], left: [], busyMs: 1 };
  await expect(writer.write(stranger, succeed(chunk), {})).rejects.toThrow(ChunkLostError);
  await expect(writer.write(stranger, succeed(chunk), { end })).rejects.toThrow(ChunkLostError);
  await expect(
    writer.write(stranger, succeed({ seqs: [] }), { release: { slots: 0, left: chunk.seqs } }),
  ).rejects.toThrow(ChunkLostError);
  expect(await sql`SELECT 1 FROM gleaner.results WHERE run_no = ${chunk.run}`).toEqual([]);
  await expect(createChunkWriter(services, 'wrk_b').write(chunk, succeed(chunk), { end })).rejects.toThrow(
    ChunkLostError,
  );
  await writer.write(chunk, succeed(chunk), { end });
  expect(await sql`SELECT succeeded FROM gleaner.runs WHERE no = ${chunk.run}`).toEqual([
    { succeeded: chunk.seqs.length },
  ]);
});

it('a renewal, a flush and the end of one chunk that are written together count once each', async () => {
  await submit(8, 8);
  const [chunk] = (await take(8)).chunks;
  if (!chunk) throw new Error('nothing was taken');
  const writer = createChunkWriter(services, 'wrk_a');
  const [first = -1, ...rest] = chunk.seqs;
  await Promise.all([
    writer.write(chunk, succeed({ seqs: [] }), {}),
    writer.write(chunk, succeed({ seqs: [first] }), {}),
    writer.write(chunk, succeed({ seqs: rest }), { end: { retries: [], left: [], busyMs: 1 } }),
  ]);
  const [run] = await sql`SELECT state, succeeded FROM gleaner.runs WHERE no = ${chunk.run}`;
  expect(run).toMatchObject({ succeeded: chunk.seqs.length });
});

it('a write whose answer was lost counts once when it is repeated', async () => {
  const accountId = await submit(1, 4);
  const { chunks } = await take(1);
  const [chunk] = chunks;
  if (!chunk) throw new Error('nothing was taken');
  expect(chunk.seqs).toEqual([0, 1, 2, 3]);
  const writer = createChunkWriter(services, 'wrk_a');
  const early: ChunkOutcomes = { ...succeed({ seqs: [0] }), failed: [1], errors: [{ code: 'fetch_failed' }] };
  const release = { slots: 1, left: [3] };
  for (let time = 0; time < 2; time += 1) await writer.write(chunk, early, { release });
  expect(
    await sql`SELECT succeeded, failed, remaining FROM gleaner.chunks WHERE run_no = ${chunk.run} AND chunk = ${chunk.chunk}`,
  ).toEqual([{ succeeded: 1, failed: 1, remaining: 1 }]);
  const end = { retries: [], left: [], busyMs: 1 };
  // The end holds an outcome that the flush wrote.
  await writer.write(
    chunk,
    { ...succeed({ seqs: [0, 2] }), failed: [1], errors: [{ code: 'fetch_failed' }] },
    { end },
  );
  await expect(writer.write(chunk, succeed({ seqs: [2] }), { end })).rejects.toThrow(ChunkLostError);
  expect(
    await sql`SELECT succeeded, failed, used::int AS used FROM gleaner.runs WHERE no = ${chunk.run}`,
  ).toEqual([{ succeeded: 2, failed: 1, used: 2 }]);
  expect(await take(1, [{ account: accountId, ms: 0, isMore: true }])).toMatchObject({
    chunks: [{ seqs: [3] }],
  });
});

it('takers and requests together never use more slots than an account has', async () => {
  const limits = [1, 3, 7];
  const accounts = await Promise.all(limits.map((limit) => submit(limit, 5_000)));
  let isOver = false;
  let looks = 0;
  let queued = 0;
  let taken = 0;
  /** However fast each part is on this machine. */
  const isEnough = (round: number): boolean => isOver || (round >= 60 && Math.min(looks, taken, queued) > 20);
  const connections = Array.from({ length: 4 }, () => createDatabase(database.url, { max: 2 }));
  const takers = connections.map(async (db, place) => {
    const worker = createTestWorker({ ...services, db }, `wrk_${place}`);
    const running: TakenChunk[] = [];
    for (let round = 0; !isEnough(round); round += 1) {
      running.push(...(await worker.take(1 + ((round + place) % 6))).chunks);
      taken += running.length;
      // Some keep their slots for a while.
      for (const chunk of running.splice(0, 1 + (round % 3))) {
        if (round % 4 === 0 && chunk.slots > 1)
          await worker.flush(chunk, succeed({ seqs: [] }), { release: { slots: 1, left: [] } });
        await worker.endAll(chunk, round % 5 === 0 ? 'leave' : 'succeed', 50);
      }
    }
    for (const chunk of running) await worker.endAll(chunk, 'succeed', 50);
  });
  const clients = accounts.map(async (accountId) => {
    for (let round = 0; !isEnough(round); round += 1) {
      const id = createId('request');
      const { outcome } = await submitTestRequest(services, { id, accountId });
      if (outcome === 'queued') queued += 1;
      if (outcome === 'queued' || outcome === 'waiting')
        await endRequest(services, id, null, { state: 'succeeded', answer: '{}' });
    }
  });
  const leader = async (): Promise<void> => {
    while (!isOver) await wakeLostTurns(services);
  };
  const watch = async (): Promise<void> => {
    for (; !isOver; looks += 1) {
      const over = await sql`
        SELECT a.id, a.concurrency, u.slots FROM gleaner.accounts a CROSS JOIN LATERAL (
          SELECT coalesce((
            SELECT sum(c.slots) FROM gleaner.chunks c WHERE c.account_id = a.id AND c.state = 'running'
          ), 0) + (
            SELECT count(*) FROM gleaner.requests q WHERE q.account_id = a.id AND q.state IN ('queued', 'running')
          ) AS slots
        ) u WHERE u.slots > a.concurrency`;
      expect(over).toEqual([]);
    }
  };
  const watching = Promise.all([watch(), leader()]);
  const end = (): void => {
    isOver = true;
  };
  watching.catch(end);
  await Promise.all([...takers, ...clients]).finally(end);
  await watching;
  await Promise.all(connections.map((db) => db.close()));
});

it('an idle turn becomes ready when its retry is due', async () => {
  const accountId = await submit(1, 1);
  const worker = createTestWorker(services);
  const [chunk] = (await worker.take()).chunks;
  if (!chunk) throw new Error('nothing was taken');
  const nothing = succeed({ seqs: [] });
  await worker.end(chunk, nothing, { retries: [{ seqs: [0], delayMs: 60_000 }], left: [], busyMs: 1 });
  expect(await worker.take()).toMatchObject({ chunks: [], isMore: false });
  await runTurns(services);
  expect(await turnOf(accountId)).toMatchObject({ state: 'idle' });
  const [due] =
    await sql`SELECT due_at = (SELECT not_before FROM gleaner.chunks) AS is_same FROM gleaner.turns
    WHERE account_id = ${accountId} AND queue = 'batch-http'`;
  expect(due).toEqual({ is_same: true });
  await sql`UPDATE gleaner.turns SET due_at = now() - interval '10 ms' WHERE due_at IS NOT NULL`;
  await sql`UPDATE gleaner.chunks SET not_before = now() - interval '10 ms'`;
  await runTurns(services);
  expect(await turnOf(accountId)).toMatchObject({ state: 'ready' });
  expect((await worker.take()).chunks).toMatchObject([{ seqs: [0], tries: 1 }]);
});

function lostTurns(): Promise<readonly unknown[]> {
  return sql<object[]>`SELECT account_id, queue FROM ${sql(ENGINE)}.lost_turns()`;
}

it('finds a turn that nobody woke, and only such a turn', async () => {
  const full = await submit(1);
  const [chunk] = (await take(8)).chunks;
  if (!chunk) throw new Error('nothing was taken');
  const waiting = await submit(4);
  await submit(4, 1);
  expect(await lostTurns()).toEqual([]);
  // The worker dies between the end and its next call.
  await createChunkWriter(services, 'wrk_a').write(chunk, succeed(chunk), {
    end: { retries: [], left: [], busyMs: 1 },
  });
  expect(await lostTurns()).toEqual([{ account_id: full, queue: 'batch-http' }]);
  await wakeLostTurns(services);
  expect(await turnOf(full)).toMatchObject({ state: 'ready' });
  await sql`UPDATE gleaner.turns SET state = 'idle' WHERE account_id = ${waiting}`;
  expect(await lostTurns()).toEqual([{ account_id: waiting, queue: 'batch-http' }]);
  await sql`DELETE FROM gleaner.turns WHERE account_id = ${waiting}`;
  await wakeLostTurns(services);
  expect(await lostTurns()).toEqual([]);
  expect(new Set((await take(100)).chunks.map(({ accountId }) => accountId)).size).toBe(3);
  expect(await lostTurns()).toEqual([]);
});

it('the leader writes nothing for accounts at their limit', async () => {
  for (let index = 0; index < 20; index += 1) await submit(1, 100);
  for (let taken = 0; taken < 20;) {
    const { chunks } = await take(100);
    taken += chunks.length;
    if (chunks.length === 0) throw new Error('nothing was taken');
  }
  await sql`UPDATE gleaner.chunks SET lease_until = now() + interval '1 minute'`;
  expect(await take(8)).toMatchObject({ chunks: [], isMore: false });
  await runTurns(services);
  const versions = (): Promise<readonly unknown[]> => sql<object[]>`
    SELECT account_id AS id, ctid::text, xmin::text FROM gleaner.turns
    UNION ALL SELECT id, ctid::text, xmin::text FROM gleaner.accounts
    UNION ALL SELECT id, ctid::text, xmin::text FROM gleaner.runs
    UNION ALL SELECT run_no::text, ctid::text, xmin::text FROM gleaner.chunks ORDER BY 1, 2`;
  const before = await versions();
  expect(await lostTurns()).toEqual([]);
  for (let round = 0; round < 3; round += 1) {
    await runTurns(services);
    await wakeLostTurns(services);
  }
  expect(await versions()).toEqual(before);
});

it.each([
  { limit: 100, name: 'has more work than slots' },
  { limit: 8, name: 'uses all of its slots' },
])('an account that had no work shares equally with one that $name', async ({ limit }) => {
  const busy = await submit(limit);
  const load = { slots: 8, pageMs: () => 200, forMs: 30_000 };
  await simulate(load);
  const late = await submit(100);
  const had = await simulate({ ...load, measuredFrom: 5_000 });
  const part = (had.get(late) ?? 0) / ((had.get(late) ?? 0) + (had.get(busy) ?? 0));
  expect(part).toBeGreaterThan(0.42);
  expect(part).toBeLessThan(0.58);
});
