import type { ParserSchema } from '@gleaner/contracts';
import { createMetrics, loadConfig, type TaskOutcome } from '@gleaner/core';
import { createExtractionPool, type ExtractionPool } from '@gleaner/extractors/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type TestFetcher,
  type TestSite,
  createTestFetcher,
  sendPage,
  startTestSite,
} from '@gleaner/fetching/testing';
import { createTaskExecutor, type TaskExecutor } from './execute-task.ts';

/** Never done on a page of many paragraphs: every element against every other one before it. */
const SCHEMA: ParserSchema = {
  fields: {
    title: 'h1',
    n: { xpath: '//p[preceding::p[preceding::p[preceding::p/@x = @y]/@x = @y]]', take: 'count' },
  },
};

let site: TestSite;
let client: TestFetcher;
let pool: ExtractionPool;
let executor: TaskExecutor;
const faults: unknown[] = [];

beforeAll(async () => {
  site = await startTestSite(({ url }, response) =>
    sendPage(response, url === '/endless' ? '<p x=1 y=2>'.repeat(3_000) : `<h1>${url}</h1>`),
  );
  client = await createTestFetcher(site.host);
  pool = createExtractionPool({ threads: 1, timeoutMs: 1_000, pipeline: 8, moveBytes: 1 });
  executor = createTaskExecutor({
    fetcher: client.fetcher,
    pool,
    sites: loadConfig({ DATABASE_URL: 'postgres://nowhere/none' }).sites,
    parsers: { load: () => Promise.reject(new Error('no saved parser in this test')) },
    metrics: createMetrics('test'),
    onInternalError: (error) => faults.push(error),
  });
});
afterAll(() => Promise.all([pool.close(), client.fetcher.close(), site.close()]));

function execute(path: string): Promise<TaskOutcome> {
  return executor.execute(
    { target: { type: 'schema', schema: SCHEMA }, input: { url: `${site.origin}${path}` }, config: {} },
    {
      accountId: 'acc_test',
      deadlineAt: Date.now() + 60_000,
      signal: new AbortController().signal,
      attempts: 'none',
    },
  );
}

it('fetches pages again that went down with the thread of another one', async () => {
  const first = execute('/endless');
  await expect.poll(() => pool.stats().busy).toBe(1);
  const others = await Promise.all(['/a', '/b', '/c'].map(execute));
  expect(await first).toMatchObject({ ok: false, error: { code: 'extraction_failed' } });
  expect(others.map((outcome) => outcome.ok && outcome.answer)).toEqual(
    ['/a', '/b', '/c'].map((path) => JSON.stringify({ title: path, n: 0 })),
  );
  expect(others.every((outcome) => outcome.ok && outcome.bytes > 0)).toBe(true);
  expect(site.requests.filter(({ url }) => url === '/a')).toHaveLength(2);
  expect(faults).toEqual([]);
});
