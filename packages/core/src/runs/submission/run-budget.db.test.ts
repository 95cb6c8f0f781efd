import fc from 'fast-check';
import { AppError } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, inject, it } from 'vitest';
import { findViolations } from '../../testing/find-violations.ts';
import { cancelBatch, retryBatch } from '../batches/change-batch.ts';
import type { ChunkOutcomes } from '../chunks/take-chunks.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { submitTestRun, testUrls, type TestRun } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';

const { services, close } = await openTestServices();
const worker = createTestWorker(services);
const BROWSER = batchQueue('browser');
/** It runs tasks that went on by the second way, which costs the run's price. */
const browserWorker = createTestWorker(services, 'wrk_browser', BROWSER);
afterAll(close);

const PRICE = 3;

function submit(
  accountId: string,
  count: number,
  maxCredits?: number,
  leastPrice?: number,
): Promise<TestRun> {
  return submitTestRun(services, accountId, testUrls(count), { price: PRICE, leastPrice, maxCredits });
}

/** What the page of each input costs, from the first on and again; null: the run's price. */
type Prices = readonly (number | null)[];

function priceOf(prices: Prices, seq: number): number | null {
  return prices[seq % prices.length] ?? null;
}

type End = 'ok' | 'fails' | 'heals' | 'left' | 'climbs';

function split(seqs: readonly number[], ends: readonly End[]): Record<End, number[]> {
  const parts: Record<End, number[]> = { ok: [], fails: [], heals: [], left: [], climbs: [] };
  for (const seq of seqs) parts[ends[seq % ends.length] ?? 'ok'].push(seq);
  return parts;
}

function outcomes(succeeded: number[], failed: number[], prices: Prices = []): ChunkOutcomes {
  return {
    succeeded,
    answers: succeeded.map(() => '{}'),
    prices: prices.length === 0 ? undefined : succeeded.map((seq) => priceOf(prices, seq)),
    failed,
    errors: failed.map(() => ({ code: 'fetch_failed' })),
  };
}

/**
 * Runs one chunk like a worker. Flushed outcomes come first; with `dies`, the rest is left to the sweeper. Every other
 * flush releases all slots but one, and tasks that did not begin.
 */
async function work(
  run: TestRun,
  ends: readonly End[],
  { flushed = 0, dies = false, prices = [] }: { flushed?: number; dies?: boolean; prices?: Prices } = {},
): Promise<boolean> {
  const plain = await worker.takeOf(run.no);
  const chunk = plain ?? (await browserWorker.takeOf(run.no));
  if (!chunk) return false;
  const { flush, end } = plain ? worker : browserWorker;
  const isDearest = chunk.way > 0;
  const own = isDearest ? ends.map((one) => (one === 'climbs' ? 'ok' : one)) : ends;
  const costs = isDearest ? prices.map(() => null) : prices;
  const early = split(chunk.seqs.slice(0, flushed), own);
  const late = split(chunk.seqs.slice(flushed), own);
  const release = flushed % 2 === 1 ? { slots: 1, left: [...early.left, ...late.left] } : null;
  await flush(chunk, outcomes(early.ok, early.fails, costs), { release });
  if (dies) {
    await services.db.sql`UPDATE gleaner.chunks SET lease_until = now() - interval '1 s'
      WHERE run_no = ${run.no} AND chunk = ${chunk.chunk}`;
    await sweepChunks(services, new Date().toISOString());
    return true;
  }
  const retries = [...early.heals, ...late.heals];
  const climbing = [...early.climbs, ...late.climbs];
  const climb = { way: 1, queue: BROWSER };
  await end(chunk, outcomes(late.ok, late.fails, costs), {
    retries: [
      ...(retries.length === 0 ? [] : [{ seqs: retries, delayMs: 0 }]),
      ...(climbing.length === 0 ? [] : [{ seqs: climbing, delayMs: 0, isUncounted: true, climb }]),
    ],
    left: release ? [] : [...early.left, ...late.left],
    busyMs: 10,
  });
  return true;
}

async function finishWith(run: TestRun, ends: readonly End[], prices: Prices = []): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    if (await work(run, ends, { prices })) continue;
    const { state } = await readRun(run);
    if (state !== 'pending' && state !== 'running') return;
    // A task that may have killed a worker waits for some seconds: here they are over at once.
    await services.db
      .sql`UPDATE gleaner.chunks SET not_before = now() WHERE run_no = ${run.no} AND state = 'pending'`;
    // The leader wakes accounts whose tries are due.
    await sweepChunks(services, new Date().toISOString());
  }
  throw new Error('the run does not end');
}

async function readRun({ no }: TestRun) {
  const [row] = await services.db.sql`
    SELECT r.state, c.total, c.pending, c.running, c.succeeded, c.failed, c.cancelled, c.reserved::int, c.used::int,
      (SELECT a.unfinished - coalesce((
        SELECT sum(o.total - o.succeeded - o.failed - o.cancelled) FROM gleaner.runs o
        WHERE o.account_id = a.id AND o.state IN ('pending', 'running')), 0)
       FROM gleaner.accounts a WHERE a.id = r.account_id)::int AS over,
      (r.held - (SELECT coalesce(sum(k.succeeded + k.failed + k.remaining), 0) FROM gleaner.chunks k
       WHERE k.run_no = r.no))::int AS over_held,
      (r.budget - r.succeeded - (
        SELECT coalesce(sum(k.succeeded + k.remaining), 0) FROM gleaner.chunks k WHERE k.run_no = r.no))::int AS room,
      (coalesce(r.max_credits, r.price * r.budget) - r.used - r.held * r.price)::int AS free,
      (r.reserved - least(coalesce(r.max_credits, r.price * r.budget) - r.used,
        r.price * (r.total - r.succeeded - r.failed - r.cancelled)))::int AS over_reserved,
      (c.used - (SELECT coalesce(sum(o.credits), 0) FROM gleaner.results o WHERE o.run_no = r.no))::int AS over_used
    FROM gleaner.runs r, ${services.db.sql(ENGINE)}.count_run(r.no) c WHERE r.no = ${no}`;
  if (!row) throw new Error(`no run ${no}`);
  return row;
}

async function account(credits = 1_000, concurrency = 5): Promise<string> {
  return (await createTestAccount(services, { credits, concurrency })).accountId;
}

function input(run: TestRun) {
  return {
    params: { id: run.id },
    query: undefined,
    body: undefined,
    upload: undefined,
  };
}
function retry(run: TestRun) {
  return retryBatch(testContext(services, run.accountId), { ...input(run), body: {} });
}
function cancel(run: TestRun) {
  return cancelBatch(testContext(services, run.accountId), input(run));
}

it('a retry is refused when max_credits is used up, and when unfinished inputs hold the rest', async () => {
  const accountId = await account();
  const used = await submit(accountId, 3, PRICE);
  await finishWith(used, ['fails', 'ok']);
  expect(await readRun(used)).toMatchObject({ state: 'succeeded', succeeded: 1, failed: 1, cancelled: 1 });
  await expect(retry(used)).rejects.toThrow(
    'already finished: max_credits pays for 1 successes, and 1 are used, so no input can run again',
  );
  const held = await submit(accountId, 10, 5 * PRICE);
  await work(held, ['fails', 'left', 'left', 'left', 'left']);
  await expect(retry(held)).rejects.toThrow('in use: max_credits pays for 5 successes: 0 are used');
  await finishWith(held, ['ok']);
  expect(await readRun(held)).toMatchObject({
    succeeded: 5,
    failed: 1,
    cancelled: 4,
    reserved: 0,
    used: 5 * PRICE,
  });
  expect(await findViolations(services.db)).toEqual([]);
});

it('a retry runs the first failures, as many as max_credits still pays for', async () => {
  const run = await submit(await account(), 10, 5 * PRICE);
  const fetched: number[] = [];
  await finishWith(run, ['fails']);
  expect(await readRun(run)).toMatchObject({ state: 'failed', failed: 10 });
  expect(await retry(run)).toMatchObject({ counts: { failed: 5 }, credits: { reserved: 5 * PRICE } });
  for (let chunk = await worker.takeOf(run.no); chunk; chunk = await worker.takeOf(run.no)) {
    fetched.push(...chunk.seqs);
    await worker.endAll(chunk, 'succeed');
  }
  expect(fetched).toEqual([0, 1, 2, 3, 4]);
  expect(await readRun(run)).toMatchObject({ state: 'succeeded', succeeded: 5, failed: 5, reserved: 0 });
  expect(await findViolations(services.db)).toEqual([]);
});

it('a run that ended has at most one ledger entry of each kind, after retries and cancelling too', async () => {
  const accountId = await account(1_000, 2);
  const run = await submit(accountId, 30, 20 * PRICE);
  const entries = async (): Promise<Record<string, number[]>> => {
    const rows = await services.db.sql<{ kind: string; credits: number }[]>`
      SELECT kind, credits::int FROM gleaner.ledger_entries WHERE reference = ${run.id} ORDER BY id`;
    const kinds = Map.groupBy(rows, ({ kind }) => kind);
    return Object.fromEntries(Array.from(kinds, ([kind, of]) => [kind, of.map(({ credits }) => credits)]));
  };
  for (const ends of [
    ['ok', 'left'],
    ['left', 'ok', 'left', 'left'],
  ] satisfies End[][]) {
    await work(run, ends);
  }
  // One for each attempt of a chunk while it lives.
  expect((await entries()).settle).toHaveLength(2);
  await finishWith(run, ['ok', 'fails', 'fails']);
  const { used } = await readRun(run);
  expect(await entries()).toEqual({ reserve: [20 * PRICE], settle: [used], release: [20 * PRICE - used] });
  await retry(run);
  await work(run, ['ok', 'left']);
  await cancel(run);
  const { used: usedAfterwards } = await readRun(run);
  expect(usedAfterwards).toBeGreaterThan(used);
  const after = await entries();
  expect(after).toMatchObject({ reserve: [expect.any(Number)], settle: [usedAfterwards] });
  expect(after.release).toHaveLength(1);
  expect(await findViolations(services.db)).toEqual([]);
});

it('a run with more running tasks than its budget stops at its budget, and can be cancelled', async () => {
  const accountId = await account();
  for (const [end, maxCredits] of [
    ['finish', null],
    ['finish', 2 * PRICE],
    ['cancel', null],
    ['cancel', 2 * PRICE],
  ] as const) {
    const run = await submit(accountId, 6, 4 * PRICE);
    const chunk = await worker.takeOf(run.no);
    if (!chunk) throw new Error('nothing was taken');
    // As an older version could leave it, which had no max_credits.
    await services.db
      .sql`UPDATE gleaner.runs SET budget = 2, max_credits = ${maxCredits}, reserved = ${2 * PRICE}
      WHERE no = ${run.no}`;
    await services.db
      .sql`UPDATE gleaner.accounts SET reserved = reserved - ${2 * PRICE} WHERE id = ${accountId}`;
    await services.db.sql`INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, slice)
      VALUES (${accountId}, 'release', ${2 * PRICE}, ${run.id}, 99)`;
    await worker.flush(chunk, outcomes(chunk.seqs.slice(0, 3), []), {});
    expect(await readRun(run)).toMatchObject({ reserved: 0, used: 2 * PRICE });
    const rest = outcomes(chunk.seqs.slice(3), []);
    if (end === 'cancel') await cancel(run);
    else await worker.end(chunk, rest, { retries: [], left: [], busyMs: 1 });
    expect(await readRun(run)).toMatchObject({ succeeded: 2, cancelled: 4, used: 2 * PRICE });
  }
  expect(await findViolations(services.db)).toEqual([]);
});

it('a retry is refused when the account would have more unfinished tasks than its limit', async () => {
  const { accountId } = await createTestAccount(services, {
    credits: 1_000,
    concurrency: 5,
    pendingLimit: 8,
  });
  const run = await submit(accountId, 5);
  await finishWith(run, ['fails']);
  const other = await submit(accountId, 4);
  const refusal: unknown = await retry(run).catch((error: unknown) => error);
  expect(refusal instanceof AppError && refusal.toBody()).toEqual({
    error: 'pending limit',
    pending: 4,
    limit: 8,
    accepted: 0,
  });
  expect(await readRun(run)).toMatchObject({ state: 'failed', failed: 5, reserved: 0 });
  await finishWith(other, ['fails']);
  expect(await retry(run)).toMatchObject({ status: 'running', counts: { pending: 5 } });
  await finishWith(run, ['ok']);
  expect(await findViolations(services.db)).toEqual([]);
});

it('a page that costs less leaves credits for others: as many run as max_credits pays for, and no dearer page can start', async () => {
  const run = await submit(await account(), 20, 3 * PRICE, 1);
  // No leader is needed: the end of a page that cost less makes the account's turn ready.
  while (await work(run, ['ok'], { prices: [1] }));
  // After 7 pages at 1 another one might cost 3.
  expect(await readRun(run)).toMatchObject({
    state: 'succeeded',
    succeeded: 7,
    cancelled: 13,
    used: 7,
    reserved: 0,
  });
  const rest = await submit(await account(), 4, 3 * PRICE + 1, 1);
  expect(await readRun(rest)).toMatchObject({ reserved: 3 * PRICE + 1 });
  await finishWith(rest, ['ok'], [null, 1]);
  expect(await readRun(rest)).toMatchObject({ succeeded: 4, used: 2 * PRICE + 2, reserved: 0 });
  expect(await findViolations(services.db)).toEqual([]);
});

it("a page can't cost more than what is reserved for it, nor less than nothing", async () => {
  const run = await submit(await account(), 2);
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing was taken');
  for (const price of [PRICE + 1, -1])
    await expect(worker.flush(chunk, outcomes([0], [], [price]), {})).rejects.toThrow("can't cost");
  await worker.endAll(chunk, 'succeed');
  expect(await readRun(run)).toMatchObject({ succeeded: 2, used: 2 * PRICE });
  expect(await findViolations(services.db)).toEqual([]);
});

it('keeps budget, counts and credits consistent through prices, ways, failures, deaths, retries and cancels', async () => {
  const ends = fc.array(fc.constantFrom<End>('ok', 'climbs', 'fails', 'fails', 'heals', 'left'), {
    minLength: 1,
    maxLength: 5,
  });
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('work'), ends, flushed: fc.nat(6), dies: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('retry') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel') }) },
  );
  // Of the pages, from none on; no list: all cost the run's price.
  const price = fc.option(fc.integer({ min: 0, max: PRICE }));
  const isRefusal = (error: unknown): void => {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(already_finished|in_use)$/) });
  };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.integer({ min: PRICE, max: 20 * PRICE })),
      fc.array(price, { maxLength: 5 }),
      fc.array(step, { maxLength: 14 }),
      fc.boolean(),
      async (count, maxCredits, prices, steps, isEarlier) => {
        const leastPrice = prices.length > 0 ? 0 : undefined;
        const run = await submit(await account(), count, maxCredits ?? undefined, leastPrice);
        const most = Math.min(PRICE * count, maxCredits ?? Infinity);
        // As an earlier version made it.
        if (isEarlier && leastPrice === undefined)
          await services.db.sql`UPDATE gleaner.runs SET max_credits = NULL WHERE no = ${run.no}`;
        for (const one of steps) {
          if ('ends' in one) {
            await work(run, one.ends, { ...one, prices });
          } else await (one.kind === 'retry' ? retry(run) : cancel(run)).catch(isRefusal);
          const {
            total,
            pending,
            running,
            succeeded,
            failed,
            cancelled,
            reserved,
            used,
            room,
            free,
            ...over
          } = await readRun(run);
          expect(over).toMatchObject({ over: 0, over_held: 0, over_reserved: 0, over_used: 0 });
          expect(pending + running + succeeded + failed + cancelled).toBe(total);
          expect(
            Math.min(pending, running, succeeded, failed, cancelled, reserved, room, free),
          ).toBeGreaterThanOrEqual(0);
          expect(used + reserved).toBeLessThanOrEqual(most);
        }
        await finishWith(run, ['fails', 'ok'], prices);
        const paid = await services.db.sql<{ seq: number; credits: number; way: number | null }[]>`
          SELECT seq, credits, way FROM gleaner.results WHERE run_no = ${run.no} AND ok`;
        for (const { seq, credits, way } of paid)
          expect(credits).toBe((way === null ? priceOf(prices, seq) : null) ?? PRICE);
        const { cancelled, used } = await readRun(run);
        // Only a person, or credits that pay for no further page at its dearest, leave pages out.
        if (cancelled > 0 && !steps.some(({ kind }) => kind === 'cancel'))
          expect((maxCredits ?? Infinity) - used).toBeLessThan(PRICE);
        expect(await findViolations(services.db)).toEqual([]);
        await services.db.sql`TRUNCATE gleaner.runs, gleaner.tasks, gleaner.results, gleaner.chunks`;
      },
    ),
    { numRuns: inject('isLong') ? 300 : 20, endOnFailure: true },
  );
});
