import { findViolations } from '@gleaner/core/find-violations';
import { eitherBackend, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startSystem, type Client, type System } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { crawlShopInOrder, serveShop, SHOP, SHOP_CRAWL, type MadeSite } from './made-site.ts';

const RUNS = inject('isLong') ? 20 : 1;
const LIMIT = inject('isLong') ? 500 : 100;
const ALL = 100_000;
/** A shop that a busy machine crawls whole in some seconds. */
const SMALL = { ...SHOP, products: 70, categories: 6, pagination: 12 };
const ENDS_WITHIN_MS = 240_000;

interface Listed {
  urls: { url: string; outcome: string | null }[];
  cursor?: string;
}

interface Run {
  id: string;
  status: string;
  counts: { succeeded: number };
  credits: { used: number };
}

async function startCrawl(client: Client, { origin }: MadeSite, pages: number): Promise<string> {
  const { status, text, json } = await client.call('POST', '/v1/crawls', {
    start: [`${origin}/`],
    crawl: SHOP_CRAWL,
    routes: [{ name: 'products', match: '/p/*', schema: { fields: { title: 'h1', price: '.price' } } }],
    limits: { pages },
  });
  expect(status, text).toBe(202);
  return (json as Run).id;
}

async function readRun(client: Client, id: string): Promise<Run> {
  return (await client.call('GET', `/v1/workflow-runs/${id}`)).json as Run;
}

/** The pages of the crawl, in order. */
async function readPages(client: Client, id: string): Promise<{ url: string; outcome: string | null }[]> {
  const all: Listed['urls'] = [];
  for (let cursor: string | undefined; ;) {
    const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await client.call('GET', `/v1/workflow-runs/${id}/urls?limit=100${at}`)).json as Listed;
    all.push(...page.urls);
    if (page.cursor === undefined) break;
    cursor = page.cursor;
  }
  return all
    .filter(({ outcome }) => outcome === 'fetched' || outcome === 'failed')
    .map(({ url, outcome }) => ({ url, outcome }));
}

/** Kills workers while the crawl runs, a few times, and starts others. */
async function killDuring(system: System, client: Client, id: string, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const from = (await readRun(client, id)).counts.succeeded;
    await until(
      'the crawl goes on',
      async () => {
        const { status, counts } = await readRun(client, id);
        return status === 'succeeded' || counts.succeeded > from + 25;
      },
      ENDS_WITHIN_MS,
    );
    const started = system.addWorker();
    await system.workers.shift()?.kill();
    await started;
  }
}

async function endOf(client: Client, id: string): Promise<Run> {
  await until(
    'the crawl ends',
    async () => (await readRun(client, id)).status === 'succeeded',
    ENDS_WITHIN_MS,
  );
  return readRun(client, id);
}

eitherBackend('exact crawls', 'redis', ({ redisUrl }) => {
  let database: TestDatabase;
  let system: System;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    system = await startSystem({ databaseUrl: database.url, redisUrl, workers: 2 });
    client = await system.client({ credits: 1_000_000, concurrency: 64, pendingLimit: 1_000_000 });
  });
  afterAll(async () => {
    await system.stop();
    await database.close();
  });

  it(
    'gives the same pages in the same order, however slow the site is and whoever dies',
    { timeout: 900_000 },
    async () => {
      const site = await serveShop(SHOP, () => (Math.random() < 0.02 ? 500 : Math.random() * 20));
      try {
        const expected = crawlShopInOrder(SHOP, site.origin, LIMIT);
        for (let run = 0; run < RUNS; run += 1) {
          const id = await startCrawl(client, site, LIMIT);
          await killDuring(system, client, id, 2);
          const ended = await endOf(client, id);
          expect(await readPages(client, id)).toEqual(expected);
          expect(ended.credits.used).toBe(expected.filter(({ outcome }) => outcome === 'fetched').length);
        }
        expect([...site.hits.keys()].filter((path) => /^\/(?:private|account)\//.test(path))).toEqual([]);
        expect(await findViolations(database.db)).toEqual([]);
      } finally {
        await site.close();
      }
    },
  );

  it('reaches every page that the rules reach when the limit is far', { timeout: 900_000 }, async () => {
    const site = await serveShop(SMALL, () => 0);
    try {
      const id = await startCrawl(client, site, ALL);
      await endOf(client, id);
      expect(await readPages(client, id)).toEqual(crawlShopInOrder(SMALL, site.origin, ALL));
      expect(await findViolations(database.db)).toEqual([]);
    } finally {
      await site.close();
    }
  });
});
