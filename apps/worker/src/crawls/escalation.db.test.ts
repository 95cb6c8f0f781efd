import { findViolations } from '@gleaner/core/find-violations';
import { callOnce } from '@gleaner/core/testing';
import { sendPage } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';

const SHELL = '<div id="root"></div><script src="/app.js"></script>';
const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
const escalate = { escalate: 'browser' } as const;

let world: CrawlWorld;
let workers: TestWorker[];
beforeAll(async () => {
  world = await openCrawlWorld(({ url, headers }, response) => {
    const isBrowser = headers['x-browser'] !== undefined;
    if (url.startsWith('/gone')) response.writeHead(404).end();
    else if (url.startsWith('/shut') || (url.startsWith('/walled') && !isBrowser))
      response.writeHead(403).end();
    else if (url.startsWith('/shell') && !isBrowser) sendPage(response, SHELL);
    else sendPage(response, `<h1>${url}</h1><a href="/shell/1">1</a><a href="/plain/2">2</a>`);
  });
  workers = [await world.startWorker(), await world.startBrowserWorker()];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(world.faults).toEqual([]);
  expect(await findViolations(world.services.db)).toEqual([]);
  await world.close();
});

async function makeParser(scrapeConfig: object): Promise<string> {
  const body = { name: 'page', schema: SCHEMA, scrape_config: scrapeConfig };
  return ((await world.call('createParser', { body })) as { id: string }).id;
}

function addresses(...paths: string[]): string[] {
  return paths.map((path) => `${world.site.origin}${path}`);
}

async function exported(
  id: string,
  format: string,
  name: 'exportBatch' | 'exportWorkflowRunResults' = 'exportBatch',
): Promise<string> {
  const input = { params: { id }, query: { format } };
  const { answer } = await callOnce(world.services, name, { apiKey: world.apiKey }, input);
  if (answer.kind !== 'stream') throw new Error('no stream');
  let text = '';
  for await (const part of answer.stream) text += String(part);
  return text;
}

it('a batch says of each page by which way it came and what it cost', async () => {
  const target = { type: 'parser', parserId: await makeParser(escalate) };
  const urls = addresses('/plain/1', '/shell/1', '/walled/1', '/shut/1', '/gone/1');
  const { id } = (await world.call('createBatch', { body: { target, urls } })) as { id: string };
  const batch = await world.awaitBatch(id);
  expect(batch).toMatchObject({ counts: { succeeded: 3, failed: 2 }, credits: { used: 11, reserved: 0 } });
  expect(batch.scrape_config).toMatchObject(escalate);
  expect(batch.ways).toEqual([
    { fetched_by: 'http', pages: 1, credits: 1 },
    { fetched_by: 'browser', pages: 2, credits: 10 },
  ]);
  expect(await world.call('getBatchResults', { params: { id } })).toMatchObject({
    results: [
      { url: urls[0], fetched_by: 'http', price: 1, data: { title: '/plain/1' } },
      { url: urls[1], fetched_by: 'browser', price: 5, data: { title: '/shell/1' } },
      { url: urls[2], fetched_by: 'browser', price: 5, data: { title: '/walled/1' } },
    ],
  });
  expect(await world.call('getBatchFailures', { params: { id } })).toMatchObject({
    failures: [
      { url: urls[3], error: 'target blocked', attempts: 1, fetched_by: 'browser', price: 0 },
      { url: urls[4], error: 'fetch failed', fetched_by: 'http', price: 0 },
    ],
  });
});

it('exports say it in NDJSON, and in columns when the ways of the pages differ', async () => {
  const target = { type: 'parser', parserId: await makeParser({}) };
  const urls = addresses('/plain/1', '/shell/1');
  const run = async (scrape_config: object): Promise<string> => {
    const { id } = (await world.call('createBatch', { body: { target, urls, scrape_config } })) as {
      id: string;
    };
    await world.awaitBatch(id);
    return id;
  };
  const climbing = await run(escalate);
  expect((await exported(climbing, 'ndjson')).split('\n')[1]).toBe(
    `{"url":"${urls[1]}","fetched_by":"browser","price":5,"data":{"title":"/shell/1"}}`,
  );
  expect(await exported(climbing, 'csv')).toBe(
    `url,title,_fetched_by,_price\n${urls[0]},/plain/1,http,1\n${urls[1]},/shell/1,browser,5\n`,
  );
  expect(await exported(await run({}), 'csv')).toBe(`url,title\n${urls[0]},/plain/1\n`);
});

it('columns of exports that say it have names of their own beside fields of the same name', async () => {
  const { id: parserId } = (await world.call('createParser', {
    body: { name: 'named alike', schema: { fields: { _price: 'h1', __price: 'h1' } } },
  })) as { id: string };
  const urls = addresses('/plain/1');
  const body = {
    target: { type: 'parser', parserId },
    inputs: [{ url: urls[0], kind: 'a' }],
    carry: { _fetched_by: 'kind' },
    scrape_config: escalate,
  };
  const { id } = (await world.call('createBatch', { body })) as { id: string };
  await world.awaitBatch(id);
  expect(await exported(id, 'csv')).toBe(
    `url,_fetched_by,_price,__price,__fetched_by,___price\n${urls[0]},a,/plain/1,/plain/1,http,1\n`,
  );
});

it('a job says it too, and is charged by the way that gave the data', async () => {
  const parserId = await makeParser({});
  const body = {
    target: { type: 'parser', parserId },
    url: addresses('/shell/9')[0],
    scrape_config: escalate,
  };
  const { id } = (await world.call('createJob', { body })) as { id: string };
  await expect
    .poll(() => world.call('getJob', { params: { id } }), { timeout: 100_000 })
    .toMatchObject({ status: 'succeeded', attempts: 1, fetched_by: 'browser', price: 5, credits_used: 5 });
});

it('a page of which facts alone are read needs a browser where scripts fill it', async () => {
  const schema = { fields: { text: { page: 'text' } } };
  const parser = (await world.call('createParser', { body: { name: 'facts', schema } })) as { id: string };
  const target = { type: 'parser', parserId: parser.id };
  const body = { target, urls: addresses('/plain/5', '/shell/5'), scrape_config: escalate };
  const { id } = (await world.call('createBatch', { body })) as { id: string };
  await world.awaitBatch(id);
  expect(await world.call('getBatchResults', { params: { id } })).toMatchObject({
    results: [
      { fetched_by: 'http', price: 1 },
      { fetched_by: 'browser', price: 5 },
    ],
  });
});

it('a crawl reads by a browser the pages whose routes need one', async () => {
  const parserId = await makeParser({});
  const { id } = await world.start('createCrawl', {
    start: addresses('/plain/0'),
    routes: [{ name: 'pages', match: '/**', target: { type: 'parser', parserId } }],
    scrape_config: escalate,
  });
  const crawl = await world.awaitEnd(id);
  expect(crawl).toMatchObject({ status: 'succeeded', credits: { used: 7, reserved: 0 } });
  expect(crawl.stages[0]?.ways).toEqual([
    { fetched_by: 'http', pages: 2, credits: 2 },
    { fetched_by: 'browser', pages: 1, credits: 5 },
  ]);
  const { results } = (await world.call('getWorkflowRunResults', { params: { id } })) as {
    results: { url: string; fetched_by: string; price: number }[];
  };
  expect(results.map(({ url, fetched_by, price }) => [url, fetched_by, price]).toSorted()).toEqual(
    [
      [addresses('/plain/0')[0], 'http', 1],
      [addresses('/plain/2')[0], 'http', 1],
      [addresses('/shell/1')[0], 'browser', 5],
    ].toSorted(),
  );
  const csv = await exported(id, 'csv', 'exportWorkflowRunResults');
  expect(csv.split('\n')[0]).toBe('url,stage,route,title,_fetched_by,_price');
  expect(csv).toContain(`${addresses('/shell/1')[0]},crawl,pages,/shell/1,browser,5\n`);
  expect(await exported(id, 'ndjson', 'exportWorkflowRunResults')).toContain(
    '"fetched_by":"browser","price":5,',
  );
});

it('refuses what does not go with it', async () => {
  const parserId = await makeParser({});
  const body = { target: { type: 'parser', parserId }, urls: addresses('/plain/1') };
  const refused = (scrape_config: object, more = {}): Promise<unknown> =>
    world.call('createBatch', { body: { ...body, scrape_config, ...more } }).catch((error: unknown) => error);
  const field = (name: string) => ({ code: 'invalid_request', options: { field: name } });
  expect(await refused({ maxPrice: 5 })).toMatchObject(field('scrape_config.maxPrice'));
  expect(await refused(escalate, { max_credits: 4 })).toMatchObject(field('max_credits'));
  expect(await refused({ ...escalate, useBrowser: true })).toMatchObject(field('scrape_config.escalate'));
});
