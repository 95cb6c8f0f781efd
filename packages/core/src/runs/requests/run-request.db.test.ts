import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { QueueBackend } from '@gleaner/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../../testing/test-services.ts';
import { createCurrentParsers } from '../../parsers/current-parsers.ts';
import { beat } from '../../platform/workers/heartbeat.ts';
import type { Services } from '../../platform/context.ts';
import { openSpec } from '../tasks/sealed-spec.ts';
import { climbRequest } from './climb-request.ts';
import { openInteractive } from './open-interactive.ts';
import { runRequest, type InteractiveServices } from './run-request.ts';
import { endRequest, startRequest } from '../../testing/test-requests.ts';

const SPEC = {
  target: { type: 'parser', parserId: createId('parser'), version: 1 },
  input: { url: 'http://a.test/' },
  config: {},
} as const;

let opened: TestServices;
const closing: (() => Promise<void>)[] = [];

/** The services of an API process. */
async function openApi(services: Services, pagePatienceMs?: number): Promise<InteractiveServices> {
  const interactive = await openInteractive(services, pagePatienceMs === undefined ? {} : { pagePatienceMs });
  closing.push(interactive.close);
  return { ...services, interactive, currentParsers: createCurrentParsers(services) };
}

beforeAll(async () => {
  opened = await openTestServices();
});
afterAll(async () => {
  for (const close of closing) await close();
  await opened.close();
});

it('a client that disconnects before its request is delivered is not charged and causes no harm', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const controller = new AbortController();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  /** The client disconnects while the queue is slow. */
  const queue: QueueBackend = {
    ...services.queue,
    deliver: async (deliveries) => {
      controller.abort();
      await delay(50);
      await services.queue.deliver(deliveries);
    },
  };
  const ctx = {
    ...testContext(await openApi({ ...services, queue }), accountId),
    signal: controller.signal,
  };
  await expect(runRequest(ctx, SPEC)).rejects.toMatchObject({
    options: { detail: 'the client disconnected' },
  });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  const [row] = await services.db.sql`SELECT balance, reserved FROM gleaner.accounts WHERE id = ${accountId}`;
  expect(row).toEqual({ balance: '100', reserved: '0' });
});

it('a preview that found nothing is shown and not charged', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const ctx = testContext(await openApi(services), accountId);
  const answered = runRequest(ctx, { ...SPEC, preview: true });
  const rows = () => services.db.sql<{ id: string }[]>`
    SELECT id FROM gleaner.requests WHERE account_id = ${accountId}`;
  await expect.poll(rows).toHaveLength(1);
  const [row] = await rows();
  if (!row) throw new Error('no request');
  await startRequest(services, { id: row.id, attempt: 1, workerId: 'wrk_a' });
  const shown = '{"data":{"title":null},"fields":[]}';
  const error = { code: 'extraction_failed', detail: 'nothing on the page matched', shown } as const;
  await endRequest(services, row.id, 1, { state: 'failed', error });
  expect(await answered).toEqual({ jsonText: shown });
  expect(ctx.credits).toEqual({ used: 0, remaining: 100 });
});

it('a scrape keeps what it reserved while it goes on by a dearer way, and is charged by the one that gave the data', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 5 });
  const ctx = testContext(await openApi(services), accountId);
  const answered = runRequest(ctx, { ...SPEC, config: { escalate: 'browser' } });
  const rows = () => services.db.sql<{ id: string; state: string; queue: string; reserved: string }[]>`
    SELECT r.id, r.state, r.queue, a.reserved FROM gleaner.requests r JOIN gleaner.accounts a ON a.id = r.account_id
    WHERE a.id = ${accountId}`;
  await expect.poll(rows).toMatchObject([{ state: 'queued', queue: 'interactive-http', reserved: '5' }]);
  const [{ id } = { id: '' }] = await rows();
  await startRequest(services, { id, attempt: 1, workerId: 'wrk_a' });
  const to = { way: 1, queue: 'interactive-browser' } as const;
  await climbRequest(services, { id, attempt: 1 }, to);
  // A second one of the same attempt comes too late.
  await climbRequest(services, { id, attempt: 1 }, to);
  expect(await rows()).toMatchObject([{ state: 'queued', queue: 'interactive-browser', reserved: '5' }]);
  const started = await startRequest(services, { id, attempt: 2, workerId: 'wrk_b' });
  expect(started?.spec.climb?.at).toBe(1);
  await endRequest(services, id, 2, { state: 'succeeded', answer: '{"title":"a"}', price: 5 });
  expect(await answered).toEqual({ jsonText: '{"title":"a"}' });
  expect(ctx).toMatchObject({ credits: { used: 5, remaining: 0 }, fetchedBy: 'browser' });
});

it('headers and cookies of a request are stored encrypted, and a worker opens them', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const config = { headers: { authorization: 'Bearer hush!' }, cookies: { sid: 'hush!' } };
  const secretKey = '5e'.repeat(32);
  const controller = new AbortController();
  const api = await openApi({ ...services, config: { ...services.config, secretKey } });
  const ctx = { ...testContext(api, accountId), signal: controller.signal };
  const answered = runRequest(ctx, { ...SPEC, config });
  const stored = () => services.db.sql<{ id: string; spec: string }[]>`
    SELECT id, spec::text AS spec FROM gleaner.requests WHERE account_id = ${accountId}`;
  await expect.poll(stored).toHaveLength(1);
  const [row] = await stored();
  if (!row) throw new Error('no request');
  expect(row.spec).toContain('sealed');
  expect(row.spec).not.toMatch(/hush!|"authorization\\?"|"sid\\?"/);
  const started = await startRequest(services, { id: row.id, attempt: 1, workerId: 'wrk_a' });
  if (!started) throw new Error('not started');
  expect(openSpec(started.spec, { secretKey, id: row.id }).config).toEqual(config);
  controller.abort();
  await expect(answered).rejects.toThrow('the client disconnected');
  expect(await stored()).toEqual([{ id: row.id, spec: null }]);
});

/** The text of a statement; empty for an identifier. */
function textOf(parts: TemplateStringsArray | string): string {
  return typeof parts === 'string' ? '' : parts.join('');
}

it('a request is ended when its submission lost the connection', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const sql = new Proxy(services.db.sql, {
    apply: (target, self, values: [TemplateStringsArray | string, ...unknown[]]) => {
      const query: unknown = Reflect.apply(target, self, values);
      if (!textOf(values[0]).includes('submit_requests')) return query;
      return Promise.resolve(query).then(() => {
        throw Object.assign(new Error('broken'), { code: 'CONNECTION_CLOSED' });
      });
    },
  });
  const ctx = testContext(await openApi({ ...services, db: { ...services.db, sql } }), accountId);
  await expect(runRequest(ctx, SPEC)).rejects.toThrow('broken');
  const [row] = await services.db.sql`
    SELECT r.state, a.reserved FROM gleaner.requests r JOIN gleaner.accounts a ON a.id = r.account_id
    WHERE a.id = ${accountId}`;
  expect(row).toEqual({ state: 'cancelled', reserved: '0' });
});

it('a charged answer is returned although the connection was lost while it was read', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  let broken = 0;
  const sql = new Proxy(services.db.sql, {
    apply: (target, self, values: [TemplateStringsArray | string, ...unknown[]]) => {
      if (!textOf(values[0]).includes('r.answer') || broken === 2) return Reflect.apply(target, self, values);
      broken += 1;
      return Promise.reject(Object.assign(new Error('broken'), { code: 'CONNECTION_CLOSED' }));
    },
  });
  /** A worker that succeeds at once. */
  const queue: QueueBackend = {
    ...services.queue,
    deliver: async ([delivery]) => {
      const id = /req_\w{26}/.exec(JSON.stringify(delivery))?.[0] ?? '';
      await startRequest(services, { id, attempt: 1, workerId: 'wrk_a' });
      await endRequest(services, id, 1, { state: 'succeeded', answer: '{"title":"a"}' });
    },
  };
  const ctx = testContext(await openApi({ ...services, db: { ...services.db, sql }, queue }), accountId);
  expect(await runRequest(ctx, SPEC)).toEqual({ jsonText: '{"title":"a"}' });
  expect(ctx).toMatchObject({ credits: { used: 1, remaining: 99 } });
  expect(broken).toBe(2);
});

it('a request that gets no page of a browser hears its place in the queue, and when to come back', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 10 });
  const workerId = createId('worker');
  const sign = (): Promise<void> =>
    beat(services.db, { workerId, engines: ['browser'], refuses: null, capacity: { browser: 2 } });
  await sign();
  const beating = setInterval(() => void sign(), 500);
  const ctx = testContext(await openApi(services, 600), accountId);
  const spec = { ...SPEC, config: { useBrowser: true } };
  const ends = await Promise.allSettled(Array.from({ length: 3 }, () => runRequest(ctx, spec)));
  clearInterval(beating);
  // Each is told its place when it is given up, which need not be in one round for all.
  const places = new Set<string>();
  for (const end of ends) {
    if (end.status === 'fulfilled' || !(end.reason instanceof AppError)) throw new Error('not given up');
    const { code, options } = end.reason;
    expect(code).toBe('temporarily_unavailable');
    const [, place = ''] =
      /the request is number ([1-3] of [1-3]) that wait for 1 page$/.exec(options.detail ?? '') ?? [];
    expect(options.retryAfterSeconds, options.detail).toBe(5 * Number.parseInt(place, 10));
    places.add(place);
  }
  expect(places.size).toBe(3);
  const [row] = await services.db.sql`SELECT balance, reserved FROM gleaner.accounts WHERE id = ${accountId}`;
  expect(row).toEqual({ balance: '100', reserved: '0' });
});

it('a request that a crash of Postgres lost is answered at once, and costs nothing', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const api = await openApi(services);
  const running = runRequest(testContext(api, accountId), SPEC, { price: 1 });
  // As it is after a crash: the request and its reservation are gone together.
  await expect
    .poll(() => services.db.sql`DELETE FROM gleaner.requests WHERE account_id = ${accountId} RETURNING id`)
    .toHaveLength(1);
  await services.db.sql`UPDATE gleaner.accounts SET reserved = 0 WHERE id = ${accountId}`;
  await services.db
    .sql`DELETE FROM gleaner.ledger_entries WHERE account_id = ${accountId} AND kind = 'reserve'`;
  await expect(running).rejects.toMatchObject({ code: 'temporarily_unavailable' });
});
