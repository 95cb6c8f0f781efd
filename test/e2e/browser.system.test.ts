import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { startSystem, type Client, type System } from '../system/start-system.ts';
import { until } from '../system/until.ts';

/** Pages that a worker renders in a real Chromium, through the whole service. */

let database: TestDatabase;
let site: Site;
let system: System;
let client: Client;

beforeAll(async () => {
  [database, site] = await Promise.all([createTestDatabase(), startSite()]);
  system = await startSystem({
    databaseUrl: database.url,
    env: { GLEANER_WORKER_QUEUES: 'http,browser', GLEANER_FIRECRAWL_DOOR: '1' },
  });
  client = await system.client();
});
afterAll(async () => {
  await system.stop();
  await Promise.all([site.close(), database.close()]);
});

test('Firecrawl’s interface opens a browser for waits, actions and screenshots', async () => {
  const ask = async (more: object) => {
    const body = { url: `${site.url}/scripted`, onlyMainContent: false, ...more };
    const headers = { authorization: `Bearer ${client.apiKey}` };
    const { json } = await client.call('POST', '/firecrawl/v2/scrape', body, { headers });
    return json;
  };
  expect(await ask({ waitFor: 10 })).toMatchObject({
    data: { markdown: expect.stringContaining('# Rendered kettle'), metadata: { creditsUsed: 5 } },
  });
  const actions = [
    { type: 'click', selector: 'button' },
    { type: 'wait', selector: 'li' },
  ];
  expect(await ask({ actions, formats: ['markdown', 'screenshot'] })).toMatchObject({
    data: {
      markdown: expect.stringContaining('- two'),
      screenshot: expect.stringMatching(/^http.*\/files\//),
    },
  });
});

test('a screenshot is read by its address, without a key, and can run nothing', async () => {
  const { status, json } = await client.call('POST', '/v1/scrape', {
    schema: { fields: { title: 'h1', look: { page: 'screenshot' } } },
    url: `${site.url}/product`,
    useBrowser: true,
  });
  expect({ status, json }).toMatchObject({ status: 200, json: { title: 'Blue kettle' } });
  const { look } = json as { look: string };
  // The port of this test's API is not the one that files are addressed with.
  const address = `${system.baseUrl}${new URL(look).pathname}`;
  const file = await fetch(address);
  expect(file.status).toBe(200);
  expect(file.headers.get('content-type')).toBe('image/png');
  expect(file.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  const bytes = Buffer.from(await file.arrayBuffer());
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  const other = await fetch(address.replace(/.{4}$/, '0000'));
  expect({ status: other.status, json: await other.json() }).toMatchObject({
    status: 404,
    json: { error: 'not found', detail: 'the file does not exist or has expired' },
  });
});

test('a page is rendered, clicked and read, with the data that it loads, at the price of a browser', async () => {
  const { status, json, headers } = await client.call('POST', '/v1/scrape', {
    schema: {
      fields: {
        title: 'h1',
        items: { css: 'li', take: 'all' },
        left: { xhr: { url: '*/stock.json', path: '$.left' }, type: 'integer' },
      },
    },
    url: `${site.url}/scripted`,
    useBrowser: true,
    actions: [{ click: 'button' }, { wait: 'li' }],
  });
  expect({ status, json }).toEqual({
    status: 200,
    json: { title: 'Rendered kettle', items: ['one', 'two'], left: 7 },
  });
  expect(headers.get('x-credits-used')).toBe('5');
});

test('a scrape goes on in a browser when scripts fill its page, and is charged for the way that gave the data', async () => {
  const schema = { fields: { title: { css: 'h1', required: true } } };
  const scrape = (path: string) =>
    client.call('POST', '/v1/scrape', { schema, url: `${site.url}${path}`, escalate: 'browser' });
  const told = ({ json, headers }: Awaited<ReturnType<typeof scrape>>) => [
    json,
    headers.get('x-fetched-by'),
    headers.get('x-credits-used'),
  ];
  expect(told(await scrape('/shell'))).toEqual([{ title: 'Rendered kettle' }, 'browser', '5']);
  expect(told(await scrape('/product'))).toEqual([{ title: 'Blue kettle' }, 'http', '1']);
});

test('a batch renders its pages and charges each once', async () => {
  const { json: parser } = await client.call('POST', '/v1/parsers', {
    name: 'scripted',
    schema: { fields: { title: { css: 'h1', required: true } } },
    scrape_config: { useBrowser: true, waitForBrowser: 'h1:not(:empty)' },
  });
  const urls = Array.from({ length: 12 }, (_, index) => `${site.url}/scripted?n=${index}`);
  const made = await client.call('POST', '/v1/batches', {
    target: { type: 'parser', parserId: (parser as { id: string }).id },
    urls,
  });
  const { id } = made.json as { id: string };
  await until('the batch succeeds', async () => {
    const { json } = await client.call('GET', `/v1/batches/${id}`);
    return (json as { status: string }).status === 'succeeded';
  });
  const { json: batch } = await client.call('GET', `/v1/batches/${id}`);
  expect(batch).toMatchObject({ counts: { succeeded: 12 }, credits: { reserved: 0, used: 60 } });
  const { json: page } = await client.call('GET', `/v1/batches/${id}/results`);
  expect(page).toMatchObject({ results: urls.map((url) => ({ url, data: { title: 'Rendered kettle' } })) });
});
