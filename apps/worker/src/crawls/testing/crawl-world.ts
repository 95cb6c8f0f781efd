import { setTimeout as delay } from 'node:timers/promises';
import {
  DEFAULT_PRICES,
  hasEnded,
  type BatchRecord,
  type CrawlUrl,
  type WorkflowRunRecord,
} from '@gleaner/contracts';
import {
  createId,
  createKnownLinks,
  createMetrics,
  createPostgresHostStore,
  createRunCache,
  createWayMemory,
  openDatabaseClock,
  type OperationServices,
} from '@gleaner/core';
import {
  callOnce,
  createChunkSweeper,
  createTestAccount,
  openTestDoor,
  valueOf,
} from '@gleaner/core/testing';
import {
  createTestFetcher,
  startTestSite,
  type RequestHandler,
  type TestSite,
} from '@gleaner/fetching/testing';
import { createPoliteness, type Fetcher } from '@gleaner/fetching';
import type { Engine } from '@gleaner/queue';
import { startWorker, type TestWorker } from '../../chunks/testing/chunk-harness.ts';
import { createSinkOpener } from '../../chunks/running/sinks.ts';
import { createOutcomeBudget } from '../../load/outcome-budget.ts';
import { createTaskExecutor } from '../../tasks/execute-task.ts';
import { createCrawlExecutor } from '../crawl-executor.ts';

/** A site, an account, and workers in this process that crawl for it. */
export interface CrawlWorld {
  site: TestSite;
  services: OperationServices;
  accountId: string;
  apiKey: string;
  startWorker(capacity?: number): Promise<TestWorker>;
  /** One that asks the site as a browser would be asked: with the header `x-browser`. */
  startBrowserWorker(): Promise<TestWorker>;
  /** Calls an operation as the account. @throws AppError */
  call(operation: string, input: object): Promise<unknown>;
  /** Calls an operation that starts a run. */
  start(operation: string, body: object, params?: object): Promise<WorkflowRunRecord>;
  /** Sweeps as a scheduler does until the run has ended. */
  awaitEnd(id: string, withinMs?: number): Promise<WorkflowRunRecord>;
  /** `awaitEnd` of a batch. */
  awaitBatch(id: string, withinMs?: number): Promise<BatchRecord>;
  /** All addresses of a crawl, in its order. */
  urls(id: string): Promise<CrawlUrl[]>;
  /** Lets pages go on that wait for their host, as if the time had passed. */
  passTime(): Promise<void>;
  /** Internal errors of tasks. */
  faults: unknown[];
  close(): Promise<void>;
}

function noTask(): Promise<never> {
  return Promise.reject(new Error('the executor runs the tasks'));
}

/** What a browser reads that the site knows by a header. */
function asBrowser(fetcher: Fetcher): Fetcher {
  const headers = { 'x-browser': '1' };
  return {
    ...fetcher,
    fetchPage: (request) =>
      fetcher.fetchPage({ ...request, config: { ...request.config, useBrowser: false, headers } }),
  };
}

export async function openCrawlWorld(answer: RequestHandler): Promise<CrawlWorld> {
  const { services, close } = await openTestDoor();
  const site = await startTestSite(answer);
  const { db, log, parsers, pool } = services;
  const openPoliteness = () => createPoliteness({ log, store: createPostgresHostStore(db.sql) });
  let politeness = openPoliteness();
  const clock = await openDatabaseClock(db);
  const { fetcher } = await createTestFetcher(
    '127.0.0.0/8',
    {},
    {
      now: clock.now,
      politeness: {
        enter: (...given) => politeness.enter(...given),
        slowDown: (...given) => politeness.slowDown(...given),
        close: () => politeness.close(),
      },
    },
  );
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000_000, concurrency: 64 });
  const call = async (operation: string, input: object): Promise<unknown> => {
    const result = await callOnce(services, operation, { apiKey }, input);
    if (result.answer.kind === 'empty') return undefined;
    return result.answer.kind === 'json-text' ? JSON.parse(result.answer.jsonText) : valueOf(result);
  };
  const awaitEnd = async <R extends Pick<BatchRecord, 'status'>>(
    operation: string,
    id: string,
    withinMs = 120_000,
  ): Promise<R> => {
    const sweep = createChunkSweeper(services);
    const until = Date.now() + withinMs;
    for (;;) {
      const run = (await call(operation, { params: { id } })) as R;
      if (hasEnded(run.status)) return run;
      if (Date.now() > until) throw new Error(`the run has not ended: ${JSON.stringify(run)}`);
      await sweep();
      await delay(30);
    }
  };
  const faults: unknown[] = [];
  const start = (capacity: number, engine: Engine, fetching: Fetcher): Promise<TestWorker> => {
    const known = createKnownLinks(db, log);
    const deps = {
      db,
      fetcher: fetching,
      pool,
      parsers,
      sites: services.config.sites,
      files: { keep: () => Promise.reject(new Error('no files in this test')) },
      metrics: createMetrics(createId('worker')),
      outcomes: createOutcomeBudget(),
      prices: DEFAULT_PRICES,
      runs: createRunCache(db, services.config.secretKey),
      known,
      clock,
      onInternalError: (error: unknown) => faults.push(error),
      ways: createWayMemory(db, log),
    };
    return startWorker(services, noTask, {
      capacity,
      engine,
      executor: createTaskExecutor(deps),
      crawler: createCrawlExecutor(deps),
      known,
      openSink: createSinkOpener({ db, external: services.external, parsers }),
    });
  };
  return {
    site,
    services,
    faults,
    accountId,
    apiKey,
    call,
    startWorker: (capacity = 16) => start(capacity, 'http', fetcher),
    startBrowserWorker: () => start(16, 'browser', asBrowser(fetcher)),
    start: async (operation, body, params) => {
      const started = await call(operation, { body, ...(params === undefined ? {} : { params }) });
      return started as WorkflowRunRecord;
    },
    passTime: async () => {
      await politeness.close();
      politeness = openPoliteness();
      await db.sql`DELETE FROM gleaner.rate_limits WHERE starts_with(key, 'start:')`;
      await db.sql`UPDATE gleaner.chunks SET not_before = now() WHERE state = 'pending'`;
      await db.sql`UPDATE gleaner.turns SET due_at = now() WHERE due_at IS NOT NULL`;
    },
    awaitEnd: (id, withinMs) => awaitEnd('getWorkflowRun', id, withinMs),
    awaitBatch: (id, withinMs) => awaitEnd('getBatch', id, withinMs),
    urls: async (id) => {
      const all: CrawlUrl[] = [];
      for (let cursor: string | undefined; ;) {
        const page = (await call('listCrawlUrls', {
          params: { id },
          query: { limit: '50', ...(cursor === undefined ? {} : { cursor }) },
        })) as { urls: CrawlUrl[]; cursor?: string };
        all.push(...page.urls);
        if (page.cursor === undefined) return all;
        cursor = page.cursor;
      }
    },
    close: async () => {
      await fetcher.close();
      await site.close();
      await close();
    },
  };
}
