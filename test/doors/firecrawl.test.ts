import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Answer, Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let site: Site;
let client: Client;

beforeAll(async () => {
  site = await startSite();
  client = await system.client({ credits: 1_000 });
});
afterAll(() => site.close());

/** A request as Firecrawl's own client for JavaScript sends it. */
function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const sent = body === undefined ? undefined : { ...body, origin: 'js-sdk@4.30.1' };
  return client.call(method, `/firecrawl/v2${path}`, sent, {
    headers: { authorization: `Bearer ${client.apiKey}`, ...headers },
  });
}

interface Document {
  markdown?: string;
  metadata: Record<string, unknown>;
}

interface Job {
  status: string;
  total: number;
  completed: number;
  creditsUsed: number;
  expiresAt?: string;
  next: string | null;
  data: Document[];
}

async function ended(path: string): Promise<Job> {
  let job: Job | undefined;
  await until('the job ends', async () => {
    const { json } = await ask('GET', path);
    job = json as Job;
    return job.status !== 'scraping';
  });
  if (job === undefined) throw new Error('no job');
  return job;
}

function errorOf({ json }: Answer): string {
  const { success, error } = json as { success: boolean; error: string };
  expect(success).toBe(false);
  return error;
}

describe('a scrape', () => {
  it('gives the formats that are asked for, and the page’s metadata', async () => {
    const url = `${site.url}/product`;
    const schema = { fields: { price: { css: '.price', type: 'money' }, items: { css: 'li', take: 'all' } } };
    const formats = ['markdown', 'rawHtml', 'links', { type: 'json', schema }];
    const { status, json } = await ask('POST', '/scrape', { url, formats });
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        success: true,
        data: {
          markdown: expect.stringContaining('# Blue kettle'),
          rawHtml: expect.stringContaining('<p class="price">'),
          links: [`${site.url}/more?x=1`],
          json: { price: { amount: 1234.5, currency: 'EUR' }, items: ['one', 'two'] },
          metadata: { title: 'Kettle', language: 'en', url, sourceURL: url, statusCode: 200, creditsUsed: 1 },
        },
      },
    });
  });

  it('takes what n8n’s node sends by default, and follows a redirect', async () => {
    const url = `${site.url}/redirect`;
    const options = {
      formats: ['markdown'],
      onlyMainContent: true,
      includeTags: [],
      excludeTags: [],
      headers: {},
      waitFor: 0,
      mobile: false,
      skipTlsVerification: false,
      timeout: 30_000,
      actions: [],
      removeBase64Images: true,
      blockAds: true,
      storeInCache: true,
      proxy: 'basic',
    };
    const { status, json } = await ask('POST', '/scrape', { integration: 'n8n', url, ...options });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      data: {
        markdown: expect.stringContaining('# Blue kettle'),
        metadata: { sourceURL: url, url: `${site.url}/product` },
      },
    });
  });

  it('gives the whole page cleaned of scripts, and passes on headers', async () => {
    const url = `${site.url}/scripted`;
    const formats = ['html', 'markdown'];
    const { json } = await ask('POST', '/scrape', { url, formats, onlyMainContent: false });
    const { html, markdown } = (json as { data: { html: string; markdown: string } }).data;
    expect(html).toMatch(/^<body><h1><\/h1><ul><\/ul>\s*<button [^>]+>Show<\/button>\s*<\/body>$/);
    expect(markdown).not.toContain('fetch');
    const echo = await ask('POST', '/scrape', { url: `${site.url}/echo`, headers: { 'x-own': 'mine' } });
    expect(JSON.stringify(echo.json)).toContain('GET mine');
  });

  it('says what failed, with a status', async () => {
    const missing = await ask('POST', '/scrape', { url: `${site.url}/missing` });
    expect(missing.status).toBe(502);
    expect(errorOf(missing)).toContain('404');
    const schema = { fields: { price: '.nothing' } };
    const empty = await ask('POST', '/scrape', {
      url: `${site.url}/product`,
      formats: [{ type: 'json', schema }],
    });
    expect(empty.status).toBe(422);
    const release = site.hold('/gzip');
    const slow = await ask('POST', '/scrape', { url: `${site.url}/gzip`, timeout: 1_000 });
    release();
    expect(slow.status).toBe(408);
    expect(errorOf(slow)).toContain('timeout');
  });
});

describe('a crawl', () => {
  it('reads a site, page by page of the answer, and keeps its documents', async () => {
    const started = await ask('POST', '/crawl', {
      url: `${site.url}/shop?page=1&pages=2`,
      crawlEntireDomain: true,
      excludePaths: ['item'],
      limit: 5,
      scrapeOptions: { formats: ['markdown', 'links'] },
    });
    expect(started.status).toBe(200);
    const { id, url } = started.json as { id: string; url: string };
    expect(url).toBe(`${system.baseUrl}/firecrawl/v2/crawl/${id}`);
    const job = await ended(`/crawl/${id}`);
    expect(job).toMatchObject({ success: true, status: 'completed', total: 2, completed: 2, creditsUsed: 2 });
    expect(job.data.map(({ metadata }) => metadata['sourceURL'])).toEqual([
      `${site.url}/shop?page=1&pages=2`,
      `${site.url}/shop?page=2&pages=2`,
    ]);
    expect(Date.parse(job.expiresAt ?? '')).toBeGreaterThan(Date.now());

    const first = (await ask('GET', `/crawl/${id}?limit=1`)).json as Job;
    expect(first.data).toHaveLength(1);
    const next = first.next?.slice(system.baseUrl.length + '/firecrawl/v2'.length);
    const second = (await ask('GET', next ?? '')).json as Job;
    expect(second.data.map(({ metadata }) => metadata['sourceURL'])).toEqual([
      `${site.url}/shop?page=2&pages=2`,
    ]);
    const errors = await ask('GET', `/crawl/${id}/errors`);
    expect(errors).toMatchObject({ status: 200, json: { errors: [], robotsBlocked: [] } });
    const late = await ask('DELETE', `/crawl/${id}`);
    expect(late.status).toBe(409);
  });

  it('has only pages that fit includePaths, and says which failed', async () => {
    const { json } = await ask('POST', '/crawl', {
      url: `${site.url}/shop?page=1&pages=1`,
      crawlEntireDomain: true,
      includePaths: ['^/item'],
      maxDiscoveryDepth: 1,
      sitemap: 'skip',
      scrapeOptions: {
        formats: [
          {
            type: 'json',
            schema: { fields: { n: { css: 'h1', required: true, transform: [{ regex: '[0-6]' }] } } },
          },
        ],
      },
    });
    const { id } = json as { id: string };
    const job = await ended(`/crawl/${id}`);
    expect(job).toMatchObject({ status: 'completed', total: 8, completed: 7 });
    expect(job.data).toContainEqual({ json: { n: '6' }, metadata: expect.anything() });
    const errors = await ask('GET', `/crawl/${id}/errors`);
    expect(errors.json).toMatchObject({
      errors: [{ url: `${site.url}/item?n=7`, error: expect.stringContaining('extraction failed') }],
    });
  });

  it('is cancelled, and is one with one idempotency key', async () => {
    const release = site.hold('/slow');
    const body = { url: `${site.url}/slow?ms=0` };
    const headers = { 'x-idempotency-key': 'once' };
    const [first, again] = [
      await ask('POST', '/crawl', body, headers),
      await ask('POST', '/crawl', body, headers),
    ];
    expect(again.json).toEqual(first.json);
    const { id } = first.json as { id: string };
    expect((await ask('GET', `/crawl/${id}`)).json).toMatchObject({
      status: 'scraping',
      next: null,
      data: [],
    });
    const { status, json } = await ask('DELETE', `/crawl/${id}`);
    release();
    expect({ status, json }).toEqual({ status: 200, json: { success: true, status: 'cancelled' } });
    expect(await ended(`/crawl/${id}`)).toMatchObject({ status: 'cancelled' });
  });

  it('is found only where this door made it, and by its account', async () => {
    const { json } = await client.call('POST', '/v1/crawls', { start: [`${site.url}/product`] });
    const own = await ask('GET', `/crawl/${(json as { id: string }).id}`);
    expect(own.status).toBe(404);
    const started = await ask('POST', '/crawl', { url: `${site.url}/product`, limit: 1 });
    const other = await system.client();
    const path = `/firecrawl/v2/crawl/${(started.json as { id: string }).id}`;
    const headers = { authorization: `Bearer ${other.apiKey}` };
    expect((await other.call('GET', path, undefined, { headers })).status).toBe(404);
  });
});

describe('a batch', () => {
  it('reads many pages in their order, leaves out what is no address, and says which failed', async () => {
    const given = [`${site.url}/redirect`, 'no address', `${site.url}/missing`, `${site.url}/product?2`];
    const schema = { fields: { name: 'h1' } };
    const body = { urls: given, formats: ['links', { type: 'json', schema }], ignoreInvalidURLs: true };
    const started = await ask('POST', '/batch/scrape', body);
    expect(started.status).toBe(200);
    const { id, url, invalidURLs } = started.json as { id: string; url: string; invalidURLs: string[] };
    expect(url).toBe(`${system.baseUrl}/firecrawl/v2/batch/scrape/${id}`);
    expect(invalidURLs).toEqual(['http://no address']);
    const path = `/batch/scrape/${id}`;
    const job = await ended(path);
    const links = [`${site.url}/more?x=1`];
    const metadata = { title: 'Kettle', language: 'en', statusCode: 200 };
    expect(job).toEqual({
      success: true,
      status: 'completed',
      total: 3,
      completed: 2,
      creditsUsed: 2,
      expiresAt: expect.any(String),
      next: null,
      data: [
        {
          links,
          json: { name: 'Blue kettle' },
          metadata: { ...metadata, sourceURL: given[0], url: `${site.url}/product` },
        },
        {
          links,
          json: { name: 'Blue kettle' },
          metadata: { ...metadata, sourceURL: given[3], url: given[3] },
        },
      ],
    });
    const errors = await ask('GET', `${path}/errors`);
    expect(errors.json).toMatchObject({
      errors: [{ url: given[2], error: expect.stringContaining('404') }],
      robotsBlocked: [],
    });
  });

  it('makes one parser for equal formats, and reads by its first version', async () => {
    const { call } = client;
    const body = { urls: [`${site.url}/product`], formats: ['markdown', 'links'] };
    const first = await ask('POST', '/batch/scrape', body);
    const parsers = async () => {
      const { json } = await call('GET', '/v1/parsers?search=Firecrawl:%20markdown');
      return (json as { parsers: { id: string; name: string }[] }).parsers;
    };
    const [made] = await parsers();
    expect(made).toMatchObject({ name: 'Firecrawl: markdown, links' });
    const other = await call('PUT', `/v1/parsers/${made?.id}`, { schema: { fields: { other: 'h1' } } });
    expect(other.status).toBe(200);
    const second = await ask('POST', '/batch/scrape', body);
    expect(await parsers()).toHaveLength(1);
    for (const { json } of [first, second]) {
      const job = await ended(`/batch/scrape/${(json as { id: string }).id}`);
      expect(job.data).toMatchObject([{ markdown: expect.stringContaining('# Blue kettle') }]);
    }
  });

  it('is cancelled, and is found only where this door made it', async () => {
    const release = site.hold('/br');
    const { json } = await ask('POST', '/batch/scrape', { urls: [`${site.url}/br`] });
    const path = `/batch/scrape/${(json as { id: string }).id}`;
    expect((await ask('DELETE', path)).json).toEqual({ success: true, status: 'cancelled' });
    release();
    expect(await ended(path)).toMatchObject({ status: 'cancelled', data: [] });
    const target = { type: 'parser', parserId: 'page' };
    const own = await client.call('POST', '/v1/batches', { target, urls: [`${site.url}/product`] });
    const foreign = await ask('GET', `/batch/scrape/${(own.json as { id: string }).id}`);
    expect(foreign.status).toBe(404);
  });
});

it('a map lists the start page and its links for the price of one page', async () => {
  const { status, json } = await ask('POST', '/map', {
    url: `${site.url}/shop?page=1&pages=2`,
    sitemap: 'include',
    includeSubdomains: false,
    ignoreQueryParameters: false,
    limit: 5,
    timeout: 100_000,
  });
  expect(status).toBe(200);
  expect(json).toEqual({
    success: true,
    id: expect.stringMatching(/^run_/),
    links: [
      { url: `${site.url}/shop?page=1&pages=2` },
      ...[0, 1, 2, 3].map((n) => ({ url: `${site.url}/item?n=${n}` })),
    ],
  });
});
