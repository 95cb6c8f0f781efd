import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const FIELDS = [
  'url',
  'title',
  'headline',
  'description',
  'language',
  'published',
  'modified',
  'author',
  'image',
  'markdown',
  'links',
];

const system = useSystem();
let site: Server;
let origin: string;
let client: Client;

async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const { json, status, text } = await client.call(method, path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return json as Record<string, unknown>;
}

async function ended(path: string): Promise<Record<string, unknown>> {
  let run: Record<string, unknown> = {};
  await until(`${path} ends`, async () => {
    run = await send('GET', path);
    return ['succeeded', 'failed'].includes(String(run['status']));
  });
  return run;
}

beforeAll(async () => {
  site = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(
      `<html lang="en"><head><title>Kettles</title></head><body><main><h1>Kettles of ${request.url}</h1>
       <p>${'Kettles boil water in a kitchen. '.repeat(20)}</p><a href="/next">Next</a></main></body></html>`,
    );
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  client = await system.client();
});
afterAll(() => void site.close());

test('one call gives a page as Markdown, by its name and without any parser', async () => {
  const url = `${origin}/a`;
  const named = await send('GET', `/v1/scrape/page?url=${encodeURIComponent(url)}`);
  expect(Object.keys(named)).toEqual(FIELDS);
  expect(named).toMatchObject({ url, title: 'Kettles', headline: 'Kettles of /a', language: 'en' });
  expect(named['markdown']).toContain('# Kettles of /a');
  expect(named['links']).toEqual([`${origin}/next`]);
  expect(await send('POST', '/v1/scrape', { url })).toEqual(named);
  expect(await send('POST', '/v1/scrape/page', { url })).toEqual(named);
  expect(await send('POST', '/v1/parse/page', { html: '<h1>Here</h1><p>and there</p>' })).toMatchObject({
    headline: 'Here',
  });
});

test('runs read with it, and show it as a parser without versions', async () => {
  const target = { type: 'parser', parserId: 'page' };
  const database = (await send('POST', '/v1/databases', { name: 'pages', kind: 'managed' }))['id'];
  const sink = { mode: 'database', database, table: 'pages' };
  const job = await send('POST', '/v1/jobs', { target, url: `${origin}/job` });
  const batch = await send('POST', '/v1/batches', { target, urls: [`${origin}/1`, `${origin}/2`] });
  const written = await send('POST', '/v1/batches', { target, urls: [`${origin}/row`], sink });
  const shown = { ...target, version: null };
  expect(await ended(`/v1/jobs/${String(job['id'])}`)).toMatchObject({ status: 'succeeded', target: shown });
  expect(await ended(`/v1/batches/${String(batch['id'])}`)).toMatchObject({
    status: 'succeeded',
    target: shown,
  });
  await ended(`/v1/batches/${String(written['id'])}`);
  const rows = await send('GET', `/v1/databases/${String(database)}/tables/pages/rows`);
  expect(rows['rows']).toMatchObject([{ title: 'Kettles', headline: 'Kettles of /row' }]);
  const again = await send('POST', '/v1/batches', { target: shown, urls: [`${origin}/again`] });
  expect(again['target']).toEqual(shown);
  const { batches } = await send('GET', '/v1/batches?parser=page');
  expect(batches).toHaveLength(3);
});

test('crons and stages of workflows take it', async () => {
  const target = { type: 'parser', parserId: 'page' };
  const database = (await send('POST', '/v1/databases', { name: 'crons', kind: 'managed' }))['id'];
  const cron = await send('POST', '/v1/crons', {
    name: 'page',
    description: '',
    schedule: '0 0 29 2 *',
    target,
    url: `${origin}/cron`,
    sink: { mode: 'database', database, table: 'pages' },
  });
  expect(cron['target']).toMatchObject(target);
  await send('POST', `/v1/crons/${String(cron['id'])}/trigger`);
  const stages = [
    { name: 'list', target },
    { name: 'pages', target, from: { stage: 'list', path: '$.links[*]' } },
  ];
  const workflow = await send('POST', '/v1/workflows', { name: 'pages', stages });
  const run = await send('POST', `/v1/workflows/${String(workflow['id'])}/runs`, { urls: [`${origin}/w`] });
  expect(await ended(`/v1/workflow-runs/${String(run['id'])}`)).toMatchObject({ status: 'succeeded' });
});

test('a crawl without routes reads each page with it; one with none reads no page', async () => {
  const crawl = { robots: 'off', sources: { sitemaps: false } };
  const { id } = await send('POST', '/v1/crawls', { start: [`${origin}/start`], crawl });
  await ended(`/v1/crawls/${String(id)}`);
  const { results } = await send('GET', `/v1/workflow-runs/${String(id)}/results`);
  expect((results as { data: { headline: string } }[]).map(({ data }) => data.headline).toSorted()).toEqual([
    'Kettles of /next',
    'Kettles of /start',
  ]);
  const bare = await send('POST', '/v1/crawls', { start: [`${origin}/start`], crawl, routes: [] });
  await ended(`/v1/crawls/${String(bare['id'])}`);
  const none = await client.call('GET', `/v1/workflow-runs/${String(bare['id'])}/results`);
  expect((none.json as { results?: unknown[] }).results ?? []).toEqual([]);
});

test('it can be read and not be changed, and an own parser with its slug has precedence', async () => {
  const record = await send('GET', '/v1/parsers/page');
  expect(record).toMatchObject({ id: 'page', name: 'page', scrape_config: {} });
  expect(Object.keys((record['schema'] as { fields: object }).fields)).toEqual(FIELDS);
  for (const [method, path, body] of [
    ['PUT', '/v1/parsers/page', { name: 'mine' }],
    ['DELETE', '/v1/parsers/page'],
    ['GET', '/v1/parsers/page/versions'],
    ['GET', '/v1/parsers/page/health'],
    ['GET', '/v1/parsers/page/samples'],
    ['POST', '/v1/parsers/page/samples', { html: '<p>x', url: 'https://a.example/' }],
    ['POST', '/v1/parsers/page/repair', { batch: 'bat_none' }],
  ] as const) {
    const { status, json } = await client.call(method, path, body);
    expect({ path, status, json }).toMatchObject({
      status: 409,
      json: { error: 'in use', hint: expect.stringContaining('GET /v1/parsers/page') },
    });
  }
  const schema = { fields: { own: 'h1' } };
  const refused = await client.call('POST', '/v1/parsers', { name: 'page', slug: 'page', schema });
  expect(refused).toMatchObject({ status: 400, json: { field: 'slug' } });
  const { id } = await send('POST', '/v1/parsers', { name: 'page', slug: 'pages', schema });
  // A slug from before the built-in parser.
  await system.db.sql`UPDATE gleaner.parsers SET slug = 'page' WHERE id = ${String(id)}`;
  const url = encodeURIComponent(`${origin}/own`);
  expect(await send('GET', `/v1/scrape/page?url=${url}`)).toEqual({ own: 'Kettles of /own' });
});
