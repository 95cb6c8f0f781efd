import { DEFAULT_PRICES, type ParserSchema, type ScrapeConfig } from '@gleaner/contracts';
import {
  createMetrics,
  createParserCache,
  createWayMemory,
  loadConfig,
  type TaskOutcome,
  type TaskSpec,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createExtractionPool, type ExtractionPool } from '@gleaner/threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type TestFetcher,
  type TestSite,
  createTestFetcher,
  sendPage,
  startTestSite,
} from '@gleaner/fetching/testing';
import { createOutcomeBudget } from '../load/outcome-budget.ts';
import type { TaskRun } from './attempt-task.ts';
import { createTaskExecutor, type TaskExecutor } from './execute-task.ts';

/** Never done on a page of many paragraphs: every element against every other one before it. */
const SCHEMA: ParserSchema = {
  fields: {
    title: 'h1',
    n: { xpath: '//p[preceding::p[preceding::p[preceding::p/@x = @y]/@x = @y]]', take: 'count' },
  },
};

/** Its data come on a click. */
const LOADING = `<h1>list</h1><button onclick="fetch('/api/items').then((r) => r.json())">load</button>`;

const SHELL = '<div id="root"></div><script src="/app.js"></script>';

const SLOW_MS = 80;

/** Nothing listens there. */
const unavailable = createDatabase('postgres://127.0.0.1:1/none', { max: 1 });

let site: TestSite;
let client: TestFetcher;
let pool: ExtractionPool;
let executor: TaskExecutor;
const faults: unknown[] = [];
const kept: Uint8Array[] = [];

beforeAll(async () => {
  site = await startTestSite(({ url, method, headers, body }, response) => {
    if (url === '/shell') sendPage(response, SHELL);
    else if (url === '/endless') sendPage(response, '<p x=1 y=2>'.repeat(3_000));
    else if (url === '/loading') sendPage(response, LOADING);
    else if (url === '/slow') setTimeout(() => sendPage(response, '<h1>slow</h1>'), SLOW_MS);
    else if (url === '/never') response.socket?.setKeepAlive(true);
    else if (url === '/api/items') response.writeHead(200).end('{"items":[{"name":"kettle"}]}');
    else if (method === 'POST') sendPage(response, `<h1>${headers['content-type']} ${body}</h1>`);
    else sendPage(response, `<h1>${url}</h1>`);
  });
  client = await createTestFetcher(site.host);
  pool = createExtractionPool({ threads: 1, timeoutMs: 3_000, pipeline: 8 });
  executor = createTaskExecutor({
    fetcher: client.fetcher,
    pool,
    sites: loadConfig({ DATABASE_URL: 'postgres://nowhere/none' }).sites,
    parsers: createParserCache(unavailable),
    files: {
      keep: async (_accountId, files) =>
        files.map(({ contentType, bytes }) => {
          const address = `/files/${contentType}/${kept.length}`;
          kept.push(bytes);
          return address;
        }),
    },
    metrics: createMetrics('test'),
    outcomes: createOutcomeBudget(),
    prices: DEFAULT_PRICES,
    onInternalError: (error) => faults.push(error),
    ways: createWayMemory(unavailable, { warn: () => undefined }),
  });
});
afterAll(() => Promise.all([pool.close(), client.fetcher.close(), site.close(), unavailable.close()]));

function execute(
  path: string,
  spec: Partial<TaskSpec> = {},
  run: Partial<TaskRun> = {},
): Promise<TaskOutcome> {
  return executor.execute(
    {
      target: { type: 'schema', schema: SCHEMA },
      input: { url: `${site.origin}${path}` },
      config: {},
      ...spec,
    },
    {
      accountId: 'acc_test',
      deadlineAt: Date.now() + 60_000,
      signal: new AbortController().signal,
      attempts: 'none',
      ...run,
    },
  );
}

it('reads pages again that went down with the thread of another one, and fetches them once', async () => {
  const first = execute('/endless');
  await expect.poll(() => pool.stats().busy).toBe(1);
  const others = await Promise.all(['/a', '/b', '/c'].map((path) => execute(path)));
  expect(await first).toMatchObject({ ok: false, error: { code: 'extraction_failed' } });
  expect(others.map((outcome) => outcome.ok && outcome.answer)).toEqual(
    ['/a', '/b', '/c'].map((path) => JSON.stringify({ title: path, n: 0 })),
  );
  expect(others.every((outcome) => outcome.ok && outcome.bytes > 0)).toBe(true);
  expect(site.requests.filter(({ url }) => url === '/a')).toHaveLength(1);
  expect(faults).toEqual([]);
});

it('counts no attempt while the database that has its parser is unavailable', async () => {
  const target = { type: 'parser', parserId: 'prs_1', version: 1 } as const;
  expect(await execute('/a', { target })).toMatchObject({
    ok: false,
    error: { code: 'temporarily_unavailable' },
    isUncounted: true,
  });
});

it('measures the phases of a page, of a failure up to where it failed, and of a page in a browser as one', async () => {
  const target = { type: 'schema', schema: { fields: { title: 'h1' } } } as const;
  const page = await execute('/slow', { target });
  expect(Object.keys(page.phases ?? {})).toEqual(['connect_ms', 'first_byte_ms', 'download_ms', 'parse_ms']);
  expect(page.phases?.first_byte_ms).toBeGreaterThanOrEqual(SLOW_MS - 5);
  const late = await execute('/never', { target, config: { timeoutSeconds: 1 } });
  expect(late).toMatchObject({ ok: false, error: { code: 'fetch_timed_out' } });
  expect(Object.keys(late.phases ?? {})).toEqual(['connect_ms', 'first_byte_ms']);
  expect(late.phases?.first_byte_ms).toBeGreaterThanOrEqual(900);
  const rendered = await execute('/slow', { target, config: { useBrowser: true } });
  expect(Object.keys(rendered.phases ?? {})).toEqual(['render_ms', 'parse_ms']);
});

it('reads the responses that a page loads by an action, and says that there are none outside a browser', async () => {
  const schema: ParserSchema = {
    fields: { name: { xhr: { url: '/api/items', path: '$.items[*].name' } } },
  };
  const target = { type: 'schema', schema } as const;
  const inBrowser = { useBrowser: true, actions: [{ click: 'button' }] };
  expect(await execute('/loading', { target, config: inBrowser })).toMatchObject({
    ok: true,
    answer: '{"name":"kettle"}',
  });
  const plain = await execute('/loading', { target, config: {} });
  expect(plain).toMatchObject({ ok: false, error: { detail: 'nothing on the page matched' } });
});

it('a page on which nothing matches fails and says what fills it, except where the run may end there', async () => {
  const target = { type: 'schema', schema: { fields: { title: 'h2' } } } as const;
  const error = { code: 'extraction_failed', detail: 'nothing on the page matched' };
  expect(await execute('/a', { target })).toMatchObject({ ok: false, error: { ...error, hint: undefined } });
  const hint = expect.stringContaining('useBrowser true, for 5 credits a page') as unknown;
  expect(await execute('/shell', { target })).toMatchObject({ ok: false, error: { ...error, hint } });
  const preview = await execute('/shell', { target, preview: true });
  expect(preview).toMatchObject({ ok: false, error });
  const shown = preview.ok ? undefined : preview.error.shown;
  expect(JSON.parse(shown ?? '')).toMatchObject({ data: { title: null }, hint });
  expect(await execute('/shell', { target }, { mayBeEmpty: true })).toMatchObject({
    answer: '{"title":null}',
  });
  const explained = await execute('/shell', { target, explain: true }, { mayBeEmpty: true });
  expect(explained.ok && JSON.parse(explained.answer)).toMatchObject({ explain: [{ path: 'title', hint }] });
});

it('sends a body with the type that it has, or that the caller gave', async () => {
  const target = { type: 'schema', schema: { fields: { sent: 'h1' } } } as const;
  const post = async (body: string, headers?: Record<string, string>): Promise<unknown> => {
    const config = headers === undefined ? {} : { headers };
    const outcome = await execute('/post', { target, config, request: { method: 'POST', body } });
    return outcome.ok ? JSON.parse(outcome.answer) : outcome.error;
  };
  expect(await post('{"q":1}')).toEqual({ sent: 'application/json {"q":1}' });
  expect(await post('q=1&r=2')).toEqual({ sent: 'application/x-www-form-urlencoded q=1&r=2' });
  expect(await post('<q/>', { 'Content-Type': 'text/xml' })).toEqual({ sent: 'text/xml' });
});

it('keeps a screenshot and a PDF of a page in a browser, and gives their addresses', async () => {
  const target = {
    type: 'schema',
    schema: { fields: { shot: { page: 'screenshot', type: 'url' }, paper: { page: 'pdf' } } },
  } as const;
  const addresses = async (
    screenshot?: ScrapeConfig['screenshot'],
    timeoutSeconds = 30,
  ): Promise<unknown> => {
    const config = {
      useBrowser: true,
      timeoutSeconds,
      ...(screenshot === undefined ? {} : { screenshot }),
    };
    const outcome = await execute('/loading', { target, config });
    return outcome.ok ? JSON.parse(outcome.answer) : outcome.error;
  };
  const start = (index: number, length: number): string =>
    Buffer.from(kept[index] ?? []).toString('latin1', 0, length);
  expect(await addresses()).toMatchObject({
    shot: expect.stringContaining('/files/image/png/0') as unknown,
    paper: '/files/application/pdf/1',
  });
  expect([start(0, 4), start(1, 4)]).toEqual(['\x89PNG', '%PDF']);
  await addresses({ type: 'jpeg', fullPage: true });
  expect(start(2, 3)).toBe('\xff\xd8\xff');
  await addresses({ type: 'png', fullPage: false, selector: 'button' });
  expect(kept[4]?.length).toBeLessThan(kept[0]?.length ?? 0);
  expect(await addresses({ type: 'png', fullPage: false, selector: '.none' }, 8)).toMatchObject({
    code: 'fetch_timed_out',
    detail: 'nothing matched .none',
  });
});

it('names the step that was too slow, even when the process was busy until after the deadline', async () => {
  const limitMs = 8_000;
  const startedAt = Date.now();
  setTimeout(() => {
    while (Date.now() < startedAt + limitMs + 200);
  }, limitMs - 300);
  const outcome = await execute('/loading', {
    target: { type: 'schema', schema: { fields: { shot: { page: 'screenshot' } } } },
    config: {
      useBrowser: true,
      timeoutSeconds: limitMs / 1_000,
      screenshot: { type: 'png', fullPage: false, selector: '.none' },
    },
  });
  expect(outcome).toMatchObject({ error: { detail: 'nothing matched .none' } });
});
