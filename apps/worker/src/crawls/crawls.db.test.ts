import { sendPage, type RequestHandler } from '@gleaner/fetching/testing';
import { callOnce } from '@gleaner/core/testing';
import { findViolations } from '@gleaner/core/find-violations';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';

/** Values of `Last-Modified`: JavaScript has all but the last, Postgres none. */
const STRANGE_TIMES = [
  'Sat, 01 Jan 20000 00:00:00 GMT',
  '-000100-01-01',
  '+275760-09-13',
  '0000-01-01',
  'yesterday',
];

/** A shop: a front page, two lists with pages, products, an old address, and pages that nobody may read. */
const answerAsShop: RequestHandler = ({ url }, response) => {
  const [path = '', query = ''] = url.split('?');
  const links = (...hrefs: string[]): string => hrefs.map((href) => `<a href="${href}">x</a>`).join('');
  if (path === '/robots.txt') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('User-agent: *\nDisallow: /private/\n');
  } else if (path === '/') {
    sendPage(
      response,
      links('/list?page=1', '/about', '/old/1', '/private/x', '//elsewhere.test/', '/gone', '/login'),
    );
  } else if (path === '/list') {
    const page = Number(new URLSearchParams(query).get('page'));
    const next = page < 3 ? `<a class="next" href="/list?page=${page + 1}">next</a>` : '';
    sendPage(response, links(`/product/${page}`, `/product/${page}?utm_source=list`, '/') + next);
  } else if (path.startsWith('/product/')) {
    const id = path.slice(9);
    const canonical = `<link rel="canonical" href="/product/${id}">`;
    sendPage(
      response,
      `${canonical}<h1>Product ${id}</h1><b>${Number(id) * 10}</b>${links('/', `/product/${id}?ref=1`)}`,
    );
  } else if (path === '/about') {
    sendPage(response, '<meta name="robots" content="noindex"><h1>About</h1>');
  } else if (path === '/old/1') {
    response.writeHead(301, { location: '/product/1' }).end();
  } else if (path === '/times') {
    sendPage(response, links(...STRANGE_TIMES.map((time) => `/time/?at=${encodeURIComponent(time)}`)));
  } else if (path === '/time/') {
    const lastModified = new URLSearchParams(query).get('at') ?? '';
    response.writeHead(200, { 'content-type': 'text/html', 'last-modified': lastModified }).end('<h1>x</h1>');
  } else if (path === '/login') {
    response.writeHead(302, { location: 'http://elsewhere.test/login' }).end();
  } else {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>none</h1>');
  }
};

/** In an order that is not that of the names' lengths. */
const SCHEMA = { fields: { price: { css: 'b', type: 'integer' }, name: 'h1' } };

async function exported(
  name: 'exportWorkflowRunResults' | 'exportCrawlUrls',
  id: string,
  format: string,
  gzip = false,
): Promise<string> {
  const input = { params: { id }, query: { format, gzip: String(gzip) } };
  const { answer } = await callOnce(world.services, name, { apiKey: world.apiKey }, input);
  if (answer.kind !== 'stream') throw new Error('no stream');
  let text = '';
  for await (const part of answer.stream) text += Buffer.from(part).toString('latin1');
  return text;
}

let world: CrawlWorld;
let worker: TestWorker;
beforeAll(async () => {
  world = await openCrawlWorld(answerAsShop);
  worker = await world.startWorker();
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

it('crawls a site: each page once, in one order, with the data of its route', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [`${origin}/`],
    crawl: { next: ['a.next'] },
    routes: [{ name: 'products', match: '/product/*', schema: SCHEMA }],
    limits: { pages: 100 },
  });
  expect(started).toMatchObject({ kind: 'crawl', workflow_id: null, status: 'pending' });
  const ended = await world.awaitEnd(started.id);
  const urls = (await world.urls(started.id)).map(({ url, outcome, depth, found, route }) => [
    url.replace(origin, ''),
    depth,
    found,
    outcome,
    route,
  ]);
  expect(urls).toEqual([
    ['/', 0, 'start', 'fetched', null],
    ['/list?page=1', 1, 'link', 'fetched', null],
    ['/about', 1, 'link', 'fetched', null],
    ['/old/1', 1, 'link', 'fetched', 'products'],
    ['/private/x', 1, 'link', 'robots', null],
    ['http://elsewhere.test/', 1, 'link', 'out_of_scope', null],
    ['/gone', 1, 'link', 'failed', null],
    ['/login', 1, 'link', 'out_of_scope', null],
    ['/list?page=2', 1, 'next', 'fetched', null],
    ['/list?page=3', 1, 'next', 'fetched', null],
    ['/product/1', 2, 'link', 'duplicate', 'products'],
    ['/product/1?ref=1', 2, 'link', 'duplicate', 'products'],
    ['/product/2', 2, 'link', 'fetched', 'products'],
    ['/product/3', 2, 'link', 'fetched', 'products'],
    ['/product/2?ref=1', 3, 'link', 'duplicate', 'products'],
    ['/product/3?ref=1', 3, 'link', 'duplicate', 'products'],
  ]);
  const results = await world.call('getWorkflowRunResults', { params: { id: started.id } });
  expect(results).toEqual({
    results: [1, 2, 3].map((id) => ({
      url: `${origin}/product/${id}`,
      fetched_by: 'http',
      price: 1,
      stage: 'crawl',
      route: 'products',
      data: { name: `Product ${id}`, price: id * 10 },
    })),
  });
  expect(JSON.stringify(results)).toContain('"data":{"price":10,"name":"Product 1"}');
  const csv = [
    'url,stage,route,price,name',
    ...[1, 2, 3].map((id) => `${origin}/product/${id},crawl,products,${id * 10},Product ${id}`),
  ];
  expect(await exported('exportWorkflowRunResults', started.id, 'csv')).toBe(`${csv.join('\n')}\n`);
  for (const name of ['exportWorkflowRunResults', 'exportCrawlUrls'] as const) {
    // An archive; what its cells are is tested beside the exports of batches.
    expect((await exported(name, started.id, 'xlsx')).slice(0, 2)).toBe('PK');
    await expect(exported(name, started.id, 'xlsx', true)).rejects.toMatchObject({ code: 'invalid_request' });
  }
  expect(ended).toMatchObject({
    status: 'succeeded',
    counts: { total: 9, succeeded: 8, failed: 1, cancelled: 0 },
    stages: [
      {
        name: 'crawl',
        crawl: {
          page_limit: 100,
          duplicates: 4,
          unfollowed_pages: 0,
          routes: [{ name: 'products', mode: 'return', counts: { total: 3, succeeded: 3 } }],
        },
      },
    ],
  });
  expect(await findViolations(world.services.db)).toEqual([]);
});

it('charges a page on which its route found nothing as a page, and fails the route; its record names the folder', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [`${origin}/about`],
    crawl: { scope: 'path', sources: { sitemaps: false } },
    routes: [{ name: 'all', match: '/*', schema: { fields: { none: '.none' } } }],
  });
  const ended = await world.awaitEnd(started.id);
  expect(ended).toMatchObject({
    counts: { total: 1, succeeded: 1, failed: 0 },
    credits: { used: 1 },
    stages: [{ crawl: { folders: [`${origin}/about/`], routes: [{ counts: { total: 1, failed: 1 } }] } }],
  });
  expect(await world.call('getWorkflowRunFailures', { params: { id: started.id } })).toMatchObject({
    failures: [
      { error: 'extraction failed', detail: 'nothing on the page matched', fetched_by: 'http', price: 0 },
    ],
  });
});

it('ends when its credits pay for some of its start pages alone', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [`${origin}/`, `${origin}/about`, `${origin}/product/1`],
    crawl: {},
    routes: [],
    limits: { pages: 100, credits: 2 },
  });
  const ended = await world.awaitEnd(started.id);
  expect(ended).toMatchObject({
    status: 'succeeded',
    counts: { succeeded: 2 },
    credits: { used: 2, reserved: 0 },
  });
  expect(await findViolations(world.services.db)).toEqual([]);
});

it('says how many pages at the greatest depth have further links', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [`${origin}/`],
    crawl: { depth: 1 },
    routes: [],
    limits: { pages: 100 },
  });
  // The list, whose products and second page are not known; /about has no links, and /old/1 is a product.
  const { stages } = await world.awaitEnd(started.id);
  expect(stages[0]?.crawl?.unfollowed_pages).toBe(2);
});

it('keeps pages that were changed at a time that Postgres has not', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [`${origin}/times`],
    crawl: {},
    routes: [],
    limits: { pages: 100 },
  });
  await world.awaitEnd(started.id);
  const urls = await world.urls(started.id);
  expect(urls.map(({ outcome, last_modified: at }) => [outcome, at])).toEqual(
    Array.from({ length: 1 + STRANGE_TIMES.length }, () => ['fetched', null]),
  );
});

it('refuses start pages of more hosts than a crawl reads', async () => {
  const start = Array.from({ length: 101 }, (_, n) => `http://h${n}.test/`);
  await expect(world.start('createCrawl', { start, crawl: {}, routes: [], limits: {} })).rejects.toThrow(
    'the start pages have 101 hosts; a crawl reads at most 100',
  );
});

it('has routes of any name beside its sources, and counts start pages that are given again', async () => {
  const { origin } = world.site;
  const started = await world.start('createCrawl', {
    start: [
      `${origin}/product/1`,
      `${origin}/product/1#top`,
      `${origin}//product/../product/1`,
      `${origin}/product/1`,
    ],
    crawl: { scope: 'page' },
    routes: [{ name: 'sources', match: '/product/*', schema: SCHEMA }],
    limits: { pages: 10 },
  });
  const ended = await world.awaitEnd(started.id);
  expect(ended.stages[0]?.duplicates).toBe(2);
  expect(ended.stages[0]?.crawl).toMatchObject({
    sources: { succeeded: expect.any(Number) as number },
    routes: [{ name: 'sources', counts: { succeeded: 1 } }],
  });
});

const route = { name: 'r', match: '/product/*', schema: SCHEMA };
const nowhere = { mode: 'database', database: `db_${'0'.repeat(26)}`, table: 't' };

it.each([
  ['routes[0].schema.fields', { routes: [{ ...route, schema: { fields: true } }] }],
  [
    'routes[0].target.parserId',
    { routes: [{ name: 'r', match: '*', target: { type: 'parser', parserId: 'prs_none' } }] },
  ],
  ['routes[0].sink.database', { routes: [{ ...route, sink: nowhere }] }],
  ['scrape_config.respectRobots', { scrape_config: { respectRobots: true } }],
  ['start[0]', { start: ['x'] }],
  ['limits.credits', { limits: { credits: 0 } }],
])('a dry run refuses what its crawl would: %s', async (field, part) => {
  const body = { start: [`${world.site.origin}/product/1`], ...part };
  const refusalOf = (more: object) =>
    world.start('createCrawl', { ...body, ...more }).catch((error: unknown) => error);
  const refusal = await refusalOf({});
  expect(refusal).toMatchObject({ options: { field } });
  expect(await refusalOf({ dry_run: true })).toEqual(refusal);
});

const withoutSources = { scope: 'page', sources: { sitemaps: false } };

it.each([
  ['createCrawl', { crawl: withoutSources, dry_run: true }],
  ['createMap', { crawl: { ...withoutSources, sources: { sitemaps: false, links: false } } }],
])('%s that reads no source and no page gives its start pages', async (operation, part) => {
  const start = [`${world.site.origin}/product/1`, `${world.site.origin}/about`];
  const started = await world.start(operation, { start, limits: { pages: 10 }, ...part });
  expect(await world.awaitEnd(started.id)).toMatchObject({
    kind: 'map',
    status: 'succeeded',
    has_failures: false,
    counts: { total: 0 },
    credits: { used: 0, reserved: 0 },
  });
  expect(await world.urls(started.id)).toMatchObject(
    start.map((url) => ({ url, found: 'start', outcome: 'over_limit' })),
  );
});
