import { AppError } from '@gleaner/contracts';
import { createExtractionPool, type ExtractionPool } from '@gleaner/threads';
import { defaultSitesConfig } from '@gleaner/extractors/sites/config';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestFetcher, type TestSite, createTestFetcher, startTestSite } from '@gleaner/fetching/testing';
import { createPhaseClock, HostBusyError } from '@gleaner/fetching';
import { createOutcomeBudget } from '../load/outcome-budget.ts';
import { runSiteTask } from './site-task.ts';

let site: TestSite;
let client: TestFetcher;
let pool: ExtractionPool;
/** Statuses of the next answers; the last one stays. */
let statuses: number[] = [];

beforeAll(async () => {
  site = await startTestSite((_request, response) => {
    const [status = 200] = statuses.length > 1 ? statuses.splice(0, 1) : statuses;
    response.writeHead(status, {
      'content-type': 'text/html',
      ...(status === 429 ? { 'retry-after': '30' } : {}),
    });
    response.end(`<title>Page not found</title>${'<p>Not here</p>'.repeat(2_000)}`);
  });
  client = await createTestFetcher(site.host);
  pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
});
afterAll(() => Promise.all([pool.close(), client.fetcher.close(), site.close()]));
beforeEach(() => {
  site.requests.length = 0;
});

async function ask(attempts: 'config' | 'none'): Promise<AppError> {
  const origins = { ...defaultSitesConfig.origins, pronet: site.origin };
  try {
    await runSiteTask(
      {
        fetcher: client.fetcher,
        pool,
        sites: { ...defaultSitesConfig, origins },
        outcomes: createOutcomeBudget(),
      },
      { target: { type: 'api', id: 'pronet-post' }, input: { slug: 'why-bridges-hum-abc' }, config: {} },
      {
        accountId: 'acc_test',
        deadlineAt: Date.now() + 60_000,
        signal: new AbortController().signal,
        attempts,
        isRequeuedWhenBusy: true,
        clock: createPhaseClock(),
      },
    );
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('a page of nothing was taken for a post');
}

it('retries a site after a server error, and then reports the error', async () => {
  statuses = [503];
  expect(await ask('config')).toMatchObject({ code: 'fetch_failed', retryable: true });
  expect(site.requests).toHaveLength(3);
});

it('reads the answer that comes after a failure', async () => {
  statuses = [500, 404];
  expect(await ask('config')).toMatchObject({ code: 'target_not_found' });
  expect(site.requests).toHaveLength(2);
});

it('does not retry for a run, which retries itself', async () => {
  statuses = [502];
  expect(await ask('none')).toMatchObject({ code: 'fetch_failed', retryable: true });
  expect(site.requests).toHaveLength(1);
});

it('a site that asked for a pause has had the attempt, though it has no turn for what would follow', async () => {
  statuses = [429];
  expect(await ask('none')).not.toBeInstanceOf(HostBusyError);
  expect(site.requests).toHaveLength(1);
  expect(await ask('none')).toBeInstanceOf(HostBusyError);
  expect(site.requests).toHaveLength(1);
});
