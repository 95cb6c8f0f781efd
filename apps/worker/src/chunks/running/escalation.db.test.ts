import { setTimeout as delay } from 'node:timers/promises';
import { waysOf, type StoredError } from '@gleaner/contracts';
import { createWayMemory, type TaskOutcome, type TaskSpec } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createTestAccount, openTestServices } from '@gleaner/core/testing';
import { afterAll, afterEach, expect, it } from 'vitest';
import { attemptTask, type TaskRun } from '../../tasks/attempt-task.ts';
import { answer, awaitEnd, startWorker, submitRun, type TestWorker } from '../testing/chunk-harness.ts';

const { services, close } = await openTestServices();
const workers: TestWorker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  expect(await findViolations(services.db)).toEqual([]);
});
afterAll(close);

const config = { escalate: 'browser', retries: 1 } as const;
const ways = waysOf(config);
const DEAREST = 5;
const RUN = { config: { ...config, ways, needs: 5 }, price: DEAREST, leastPrice: 1 };

/** What each page is, by the word in its address. */
type Page = 'plain' | 'scripted' | 'walled' | 'shut' | 'dead' | 'flaky';

const ERRORS: Record<'scripted' | 'blocked' | 'dead' | 'flaky', StoredError> = {
  scripted: { code: 'extraction_failed', detail: 'nothing on the page matched' },
  blocked: { code: 'target_blocked', retryable: false },
  dead: { code: 'fetch_failed', retryable: false, detail: 'the target answered with status 404' },
  flaky: { code: 'fetch_failed' },
};

/** A site that a browser reads whole, but for what is shut or dead. It notes who asked for what. */
function createSite() {
  const seen: string[] = [];
  /** Which pages need no browser any more. */
  const healed = new Set<Page>();
  const visit = (url: string, isBrowser: boolean): TaskOutcome => {
    const page = new URL(url).pathname.split('/')[1] as Page;
    const isFirst = !seen.some((line) => line.endsWith(` ${url}`));
    seen.push(`${isBrowser ? 'browser' : 'http'} ${url}`);
    if (page === 'dead') return { ok: false, error: ERRORS.dead };
    if (page === 'flaky' && isFirst) return { ok: false, error: ERRORS.flaky };
    if (page === 'scripted' && !isBrowser && !healed.has(page))
      return { ok: false, error: ERRORS.scripted, climbs: 'scripted' };
    if (page === 'shut' || (page === 'walled' && !isBrowser))
      return { ok: false, error: ERRORS.blocked, climbs: 'blocked' };
    return answer(url);
  };
  const ways = createWayMemory(services.db, services.log);
  const execute = (spec: TaskSpec, run: TaskRun): Promise<TaskOutcome> =>
    attemptTask({ onInternalError: () => undefined, ways }, run, async () => {
      await delay(1);
      return visit(String(spec.input.url), spec.config.useBrowser === true);
    });
  return { seen, healed, executor: { execute } };
}

type Site = ReturnType<typeof createSite>;

function work({ executor }: Site, engine: 'http' | 'browser', options: { leaseMs?: number } = {}) {
  const behave = () => Promise.reject(new Error('the executor does it'));
  return startWorker(services, behave, { executor, engine, ...options });
}

/** Addresses of pages, of which those of one kind are spread over all. */
function pages(counts: Partial<Record<Page, number>>): string[] {
  const placed = Object.entries(counts).flatMap(([page, count]) =>
    Array.from({ length: count }, (_, at) => ({
      place: (at + 0.5) / count,
      url: `http://site.test/${page}/${at}`,
    })),
  );
  return placed.toSorted((one, other) => one.place - other.place).map(({ url }) => url);
}

async function submit(counts: Partial<Record<Page, number>>): Promise<{ no: string; accountId: string }> {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 20 });
  const { no } = await submitRun(services, accountId, pages(counts), RUN);
  return { no, accountId };
}

/** How often each outcome is, as `page way credits attempts` or `page way error`. */
async function readOutcomes(no: string): Promise<Record<string, number>> {
  const rows = await services.db.sql<{ line: string; count: number }[]>`
    SELECT concat_ws(' ', split_part(t.input, '/', 4), coalesce(o.way, 0), coalesce(o.error ->> 'code', o.credits::text), o.attempts)
      AS line, count(*)::int AS count
    FROM gleaner.results o JOIN gleaner.tasks t USING (run_no, seq) WHERE o.run_no = ${no} GROUP BY 1`;
  return Object.fromEntries(rows.map(({ line, count }) => [line, count]));
}

it('each page is read and charged by the cheapest way that gives its data, and a dead one never climbs', async () => {
  const site = createSite();
  workers.push(await work(site, 'http'), await work(site, 'browser'));
  const { no } = await submit({ plain: 60, scripted: 30, walled: 8, shut: 4, dead: 6, flaky: 5 });
  const { state, succeeded, failed } = await awaitEnd(services, no);
  expect({ state, succeeded, failed }).toEqual({ state: 'succeeded', succeeded: 103, failed: 10 });
  expect(await readOutcomes(no)).toEqual({
    'plain 0 1 1': 60,
    'scripted 1 5 1': 30,
    'walled 1 5 1': 8,
    'shut 1 target_blocked 1': 4,
    'dead 0 fetch_failed 1': 6,
    'flaky 0 1 2': 5,
  });
  const [run] = await services.db.sql`SELECT used::int, reserved::int FROM gleaner.runs WHERE no = ${no}`;
  expect(run).toEqual({ used: 60 + 5 * 38 + 5, reserved: 0 });
  expect(site.seen.filter((line) => /^browser .*(plain|dead|flaky)/.test(line))).toEqual([]);
});

it('a worker without a browser leaves pages that need one to others', async () => {
  const site = createSite();
  workers.push(await work(site, 'http'));
  const { no } = await submit({ plain: 10, scripted: 10 });
  await expect.poll(async () => (await readOutcomes(no))['plain 0 1 1'], { timeout: 100_000 }).toBe(10);
  expect(site.seen.filter((line) => line.startsWith('browser'))).toEqual([]);
  const waiting = () => services.db.sql<{ queue: string; way: number; tasks: number }[]>`
    SELECT queue, way, sum(remaining)::int AS tasks FROM gleaner.chunks WHERE run_no = ${no} GROUP BY 1, 2`;
  await expect.poll(waiting, { timeout: 100_000 }).toEqual([{ queue: 'batch-browser', way: 1, tasks: 10 }]);
  workers.push(await work(site, 'browser'));
  await awaitEnd(services, no);
  expect(await readOutcomes(no)).toEqual({ 'plain 0 1 1': 10, 'scripted 1 5 1': 10 });
});

it('a host that needs a browser throughout is next to never tried plainly', async () => {
  const site = createSite();
  workers.push(await work(site, 'http'), await work(site, 'browser'));
  const { no } = await submit({ scripted: 400 });
  expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 400 });
  expect(await readOutcomes(no)).toEqual({ 'scripted 1 5 1': 400 });
  // The first eight, those that were under way then, and one of fifty.
  expect(site.seen.filter((line) => line.startsWith('http')).length).toBeLessThan(8 + 20 + 400 / 50 + 20);
});

it('of a host that needs no browser any more, pages that wait for one are read plainly as soon as that is found', async () => {
  const site = createSite();
  workers.push(await work(site, 'http'), await work(site, 'browser'));
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 20 });
  const submitScripted = async (): Promise<string> =>
    (await submitRun(services, accountId, pages({ scripted: 300 }), RUN)).no;
  await awaitEnd(services, await submitScripted());
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  site.healed.add('scripted');
  // All of them wait for a browser, or are read plainly, before one comes.
  workers.push(await work(site, 'http'));
  const no = await submitScripted();
  const waiting = () => services.db.sql<{ tasks: number }[]>`
    SELECT coalesce(sum(remaining), 0)::int AS tasks FROM gleaner.chunks
    WHERE run_no = ${no} AND queue = 'batch-http'`;
  const carved = () => services.db.sql`SELECT carved = total AS is_all FROM gleaner.runs WHERE no = ${no}`;
  await expect.poll(carved, { timeout: 100_000 }).toEqual([{ is_all: true }]);
  await expect.poll(waiting, { timeout: 100_000 }).toEqual([{ tasks: 0 }]);
  const { length } = site.seen;
  workers.push(await work(site, 'browser'));
  expect(await awaitEnd(services, no)).toMatchObject({ succeeded: 300 });
  expect(site.seen.slice(length).filter((line) => line.startsWith('browser'))).toEqual([]);
});

it('where the dearer way gives no more, pages stop taking it', async () => {
  const site = createSite();
  workers.push(await work(site, 'http'), await work(site, 'browser'));
  const { no } = await submit({ shut: 200 });
  expect(await awaitEnd(services, no)).toMatchObject({ failed: 200 });
  const tried = site.seen.filter((line) => line.startsWith('browser')).length;
  expect(tried).toBeGreaterThanOrEqual(20);
  expect(tried).toBeLessThan(20 + 2 * 20);
  // Those that waited for it end by the way before.
  expect(await readOutcomes(no)).toEqual({
    'shut 0 target_blocked 1': 200 - tried,
    'shut 1 target_blocked 1': tried,
  });
});

it('charges to the credit while workers of both engines die and others go on', async () => {
  const site = createSite();
  const { no } = await submit({ plain: 200, scripted: 100, flaky: 20, dead: 20 });
  const end = awaitEnd(services, no);
  for (let round = 0; round < 3; round += 1) {
    const engine = round % 2 === 0 ? 'http' : 'browser';
    const short = await work(site, engine, { leaseMs: 1_000 });
    await delay(40);
    await short.stop(0);
  }
  workers.push(await work(site, 'http'), await work(site, 'browser'));
  expect(await end).toMatchObject({ state: 'succeeded', succeeded: 320, failed: 20 });
  const outcomes = Object.entries(await readOutcomes(no));
  const of = (line: RegExp): number =>
    outcomes.reduce((sum, [name, count]) => (line.test(name) ? sum + count : sum), 0);
  expect([of(/^plain 0 1 /), of(/^scripted 1 5 /), of(/^flaky 0 1 /), of(/^dead 0 /)]).toEqual([
    200, 100, 20, 20,
  ]);
  const [run] = await services.db.sql`SELECT used::int FROM gleaner.runs WHERE no = ${no}`;
  expect(run).toEqual({ used: 200 + 500 + 20 });
});
