import { ENGINE } from '@gleaner/db';
import { createTestDatabase, eitherBackend, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { callApi, startSystem, type Client, type System } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const SCHEMA = {
  fields: {
    title: { css: 'h1', required: true },
    price: { css: '.price', type: 'number' },
    more: { css: 'a.more@href', type: 'url' },
    items: { css: 'li', take: 'all' },
  },
};

const DATA = { title: 'Blue kettle', price: 1234.5, items: ['one', 'two'] };

async function createParser(client: Client): Promise<string> {
  const { status, json } = await client.call('POST', '/v1/parsers', { name: 'product', schema: SCHEMA });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

async function balanceOf(client: Client): Promise<number> {
  const { json } = await client.call('GET', '/v1/credits');
  return (json as { creditBalance: number }).creditBalance;
}

eitherBackend('scrape', 'redis', (backend) => {
  let database: TestDatabase;
  let system: System;
  let site: Site;
  let client: Client;
  let parserId: string;
  const scrape = (path: string, extra = '', by: Client = client, init?: RequestInit) =>
    by.call(
      'GET',
      `/v1/scrape/${parserId}?url=${encodeURIComponent(`${site.url}${path}`)}${extra}`,
      undefined,
      init,
    );
  const reserved = async (accountId: string): Promise<string> => {
    const [row] = await database.db.sql<{ reserved: string }[]>`
      SELECT reserved FROM gleaner.accounts WHERE id = ${accountId}`;
    return row?.reserved ?? 'none';
  };

  beforeAll(async () => {
    [database, site] = await Promise.all([createTestDatabase(), startSite()]);
    system = await startSystem({ databaseUrl: database.url, redisUrl: backend.redisUrl });
    client = await system.client();
    parserId = await createParser(client);
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all([site.close(), database.close()]);
  });

  test('a page is returned as data, with its price', async () => {
    const before = await balanceOf(client);
    const { status, json, headers } = await scrape('/product');
    expect({ status, json }).toEqual({ status: 200, json: { ...DATA, more: `${site.url}/more?x=1` } });
    expect(Object.keys(json as object)).toEqual(Object.keys(SCHEMA.fields));
    expect(headers.get('x-credits-used')).toBe('1');
    expect(headers.get('x-credits-remaining')).toBe(String(before - 1));
    expect(await balanceOf(client)).toBe(before - 1);
  });

  test('a suggestion fetches its page at the price of a scrape', async () => {
    const before = await balanceOf(client);
    const { status, json } = await client.call('POST', '/v1/parsers/suggest', {
      pages: [{ url: `${site.url}/product`, examples: { title: 'Blue kettle', price: 1234.5 } }],
    });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        fields: [
          { path: 'title', missed: [] },
          { path: 'price', missed: [] },
        ],
      },
    });
    expect(await balanceOf(client)).toBe(before - 1);
  });

  test('an outline fetches its page at the price of a scrape, and html is free', async () => {
    const before = await balanceOf(client);
    const read = (body: object) => client.call('POST', '/v1/pages/read', body);
    const { status, json } = await read({ url: `${site.url}/product`, max_characters: 4_000 });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { url: `${site.url}/product`, headings: [{ level: 1, text: 'Blue kettle' }] },
    });
    expect(JSON.stringify(json).length).toBeLessThanOrEqual(4_000);
    expect(await balanceOf(client)).toBe(before - 1);
    expect(await read({ html: '<title>Red pan</title>' })).toMatchObject({
      status: 200,
      json: { url: null, title: 'Red pan', blocks: [] },
    });
    expect(await read({})).toMatchObject({ status: 400, json: { field: 'html' } });
    expect(await balanceOf(client)).toBe(before - 1);
  });

  test.each(['/gzip', '/br', '/redirect'])('%s is read like the page itself', async (path) => {
    expect(await scrape(path)).toMatchObject({ status: 200, json: DATA });
  });

  test('cookies of redirects are sent to the next page', async () => {
    expect(await scrape('/cookie')).toMatchObject({ status: 200, json: { title: 'welcome back' } });
  });

  test('temporary failures are retried, and charged once', async () => {
    const before = await balanceOf(client);
    expect(await scrape('/flaky')).toMatchObject({ status: 200, json: DATA });
    expect(await balanceOf(client)).toBe(before - 1);
  });

  test.each([
    ['/missing', 502, 'fetch failed'],
    ['/broken', 502, 'fetch failed'],
    ['/picture', 502, 'fetch failed'],
  ])('%s answers %i and charges nothing', async (path, status, error) => {
    const before = await balanceOf(client);
    expect(await scrape(path, '&retries=0')).toMatchObject({ status, json: { error } });
    expect(await balanceOf(client)).toBe(before);
    expect(await reserved(client.accountId)).toBe('0');
  });

  test('a page without a required field is 422, names the field, and charges nothing', async () => {
    const strict = await client.call('POST', '/v1/parsers', {
      name: 'strict',
      schema: { fields: { isbn: { css: '.isbn', required: true } } },
    });
    const id = (strict.json as { id: string }).id;
    const before = await balanceOf(client);
    const answer = await client.call(
      'GET',
      `/v1/scrape/${id}?url=${encodeURIComponent(`${site.url}/product`)}`,
    );
    expect(answer).toMatchObject({ status: 422, json: { error: 'extraction failed' } });
    expect(answer.text).toContain('isbn');
    expect(await balanceOf(client)).toBe(before);
  });

  test('a target that hangs is 504 at its time-out', async () => {
    expect(await scrape('/slow?ms=30000', '&timeoutSeconds=1&retries=0')).toMatchObject({
      status: 504,
      json: { error: 'fetch timed out' },
    });
  });

  test('too few credits are 402 with exact fields', async () => {
    const poor = await system.client({ credits: 4 });
    const own = await createParser(poor);
    const answer = await poor.call(
      'GET',
      `/v1/scrape/${own}?url=${encodeURIComponent(`${site.url}/product`)}&useBrowser=true`,
    );
    expect(answer).toMatchObject({
      status: 402,
      json: { error: 'insufficient credits', required: 5, available: 4 },
    });
  });

  test('another account’s parser and a missing one are the same 404', async () => {
    const stranger = await system.client();
    const url = encodeURIComponent(`${site.url}/product`);
    const [other, missing] = await Promise.all([
      stranger.call('GET', `/v1/scrape/${parserId}?url=${url}`),
      stranger.call('GET', `/v1/scrape/prs_00000000000000000000000000?url=${url}`),
    ]);
    expect(other.status).toBe(404);
    expect(other.text).toBe(missing.text);
  });

  test('beyond the account’s concurrency a request is 429, and slots come back', async () => {
    const narrow = await system.client({ concurrency: 2 });
    const own = await createParser(narrow);
    const path = `/v1/scrape/${own}?url=${encodeURIComponent(`${site.url}/slow?ms=0`)}`;
    const release = site.hold('/slow');
    const first = [narrow.call('GET', path), narrow.call('GET', path)];
    await until('both slots are taken', async () => {
      const [row] = await database.db.sql<
        { used: number }[]
      >`SELECT ${database.db.sql(ENGINE)}.slots_used(${narrow.accountId}) AS used`;
      return row?.used === 2;
    });
    const refused = await narrow.call('GET', path);
    release();
    expect(refused).toMatchObject({ status: 429, json: { error: 'concurrency limit exceeded' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await Promise.all(first)).map((answer) => answer.status)).toEqual([200, 200]);
    expect((await narrow.call('GET', path)).status).toBe(200);
  });

  test('when the client goes away the fetch is aborted and nothing is charged', async () => {
    const leaver = await system.client();
    const own = await createParser(leaver);
    const controller = new AbortController();
    const before = site.aborted('/slow');
    const hits = site.hits('/slow');
    const pending = leaver.call(
      'GET',
      `/v1/scrape/${own}?url=${encodeURIComponent(`${site.url}/slow?ms=20000`)}`,
      undefined,
      { signal: controller.signal },
    );
    await until('the site was asked', () => site.hits('/slow') > hits);
    controller.abort();
    await expect(pending).rejects.toThrow();
    await until('the fetch was aborted', () => site.aborted('/slow') > before);
    await until('the reservation is released', async () => (await reserved(leaver.accountId)) === '0');
    expect(await balanceOf(leaver)).toBe(1_000);
  });

  test('the request as JSON answers what GET answers, and a schema needs not be saved', async () => {
    const url = `${site.url}/product`;
    const saved = await client.call('POST', `/v1/scrape/${parserId}`, { url, timeoutSeconds: 20 });
    expect(saved).toMatchObject({ status: 200, json: DATA });
    expect(saved.headers.get('x-credits-used')).toBe('1');
    const unsaved = await client.call('POST', '/v1/scrape', { schema: { fields: { title: 'h1' } }, url });
    expect(unsaved).toMatchObject({ status: 200, json: { title: DATA.title } });
    expect(unsaved.headers.get('x-credits-used')).toBe('1');
    const posted = await client.call('POST', '/v1/scrape', {
      schema: { fields: { sent: 'h1' } },
      url: `${site.url}/echo`,
      method: 'POST',
      body: 'q=1',
      headers: { 'X-Own': 'yes' },
      cookies: { a: 'b' },
    });
    expect(posted.json).toEqual({ sent: 'POST q=1 yes a=b' });
    const failed = await client.call('POST', '/v1/scrape', {
      schema: { fields: { none: { css: '.none', required: true } } },
      url,
    });
    expect(failed).toMatchObject({ status: 422, json: { error: 'extraction failed' } });
  });

  test.each([
    [{ body: 'x' }, 'body', 'needs method POST'],
    [
      { method: 'POST', useBrowser: true },
      'method',
      'must be GET with useBrowser: a browser opens an address',
    ],
    [{ actions: [{ click: 'a' }] }, 'actions', 'need useBrowser: true'],
    [
      { useBrowser: true, actions: [{ click: 'a', press: 'Enter' }] },
      'actions[0]',
      'has 2 actions (click, press): give exactly one of click, type, press, select, scroll, wait',
    ],
    [{ useBrowser: true, actions: [{ eval: '1' }] }, 'actions[0].eval', undefined],
    [{ useBrowser: true, actions: [{ click: 'a >> xpath=//b' }] }, 'actions[0].click', undefined],
    [{ useBrowser: true, actions: [{ press: 'Launch' }] }, 'actions[0].press', undefined],
    [{ schema: { fields: { a: '##' } } }, 'schema.fields.a', undefined],
  ])('what can’t be asked for is refused: %j', async (extra, field, detail) => {
    const body = { schema: { fields: { title: 'h1' } }, url: `${site.url}/product`, ...extra };
    const { status, json } = await client.call('POST', '/v1/scrape', body);
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        error: 'invalid request',
        field,
        ...(detail === undefined ? {} : { detail: expect.stringContaining(detail) as unknown }),
      },
    });
  });

  test('explain says how each field came about', async () => {
    const { json } = await scrape('/product', '&explain=true');
    expect(json).toMatchObject({ ...DATA, explain: expect.anything() });
  });

  describe('when the worker dies', () => {
    test('a request under way is done by its successor and charged once', async () => {
      const before = await balanceOf(client);
      const hits = site.hits('/slow');
      const release = site.hold('/slow');
      const pending = scrape('/slow?ms=0');
      await until('the site was asked', () => site.hits('/slow') > hits);
      const [worker] = system.workers;
      const successor = await system.addWorker();
      await worker?.kill();
      release();
      expect(await pending).toMatchObject({ status: 200, json: DATA });
      expect(await balanceOf(client)).toBe(before - 1);
      await worker?.restart();
      await successor.stop();
    });

    test('and none comes, the answer is 503 within seconds, uncharged', async () => {
      const before = await balanceOf(client);
      const [worker] = system.workers;
      await worker?.kill();
      const startedAt = Date.now();
      const answer = await scrape('/product');
      const tookMs = Date.now() - startedAt;
      await worker?.restart();
      expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily unavailable' } });
      expect(answer.headers.get('retry-after')).not.toBeNull();
      // A heartbeat may be 10 s late.
      if (inject('isLong')) expect(tookMs).toBeLessThan(25_000);
      expect(await balanceOf(client)).toBe(before);
    });
  });

  test('no key stands in any log line or table', async () => {
    await client.call('GET', `/v1/credits?api_key=${client.apiKey}`);
    await client.call('GET', `/nothing/here?api_key=${client.apiKey}`);
    const secret = client.apiKey.split('_')[2] ?? 'none';
    expect(system.output()).not.toContain(secret);
    const tables = await database.db.sql<{ name: string }[]>`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('gleaner', 'gleaner_queue')`;
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const rows = await database.db.sql.unsafe(
        `SELECT 1 FROM ${name} t WHERE strpos(t::text, '${secret}') > 0`,
      );
      expect({ name, rows: rows.length }).toEqual({ name, rows: 0 });
    }
  });

  // Last: it uses up the address's share of the public endpoints.
  test('public endpoints need no key and are limited per address', async () => {
    const statuses = new Set<number>();
    // More than two windows allow: the first may end in between.
    for (let index = 0; index < 300 && !statuses.has(429); index += 1)
      statuses.add((await callApi(system.baseUrl, undefined, { method: 'GET', path: '/v1/apis' })).status);
    expect(statuses).toEqual(new Set([200, 429]));
  });
});
