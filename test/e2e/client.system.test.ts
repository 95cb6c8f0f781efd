import { join } from 'node:path';
import { createClient, isGleanerError, type Client } from '@gleaner/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onWebhook } from '../../packages/client/examples/webhook.ts';
import { ROUTES } from '../../packages/client/src/contracts.ts';
import { startProcess } from '../processes/process.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { useSystem } from '../system/use-system.ts';

const examples = join(import.meta.dirname, '../../packages/client/examples');

const system = useSystem();
let site: Site;
let client: Client;
let apiKey: string;

beforeAll(async () => {
  site = await startSite();
  ({ apiKey } = await system.client());
  client = createClient({ baseUrl: system.baseUrl, apiKey });
});
afterAll(() => site.close());

/** Runs an example of the README as a program. @returns what it printed */
async function runExample(name: string, ...args: string[]): Promise<string[]> {
  const example = await startProcess({
    name,
    command: process.execPath,
    args: [join(examples, name), ...args],
    cwd: examples,
    env: { PATH: process.env.PATH ?? '', GLEANER_URL: system.baseUrl, GLEANER_API_KEY: apiKey },
  });
  const { code } = await example.ended();
  expect(code, example.output()).toBe(0);
  return example.output().trim().split('\n');
}

test('the README’s example of a scrape works unchanged', async () => {
  expect(await runExample('scrape.ts', `${site.url}/product`)).toEqual([
    'Blue kettle costs 1234.5: one, two',
    'Blue kettle used 1 of 998 credits',
    'Red mug costs 12.5',
    'article is prs_…',
  ]);
});

test('the README’s example of a batch works unchanged', async () => {
  const lines = await runExample('batch.ts', site.url);
  const said = lines.filter((line) => !/^\d+ of 21$/.test(line));
  expect(said).toEqual([
    'at most 21 credits for 21 pages',
    'succeeded: 20 succeeded, 1 failed',
    '20 titles',
    '/missing: fetch failed',
    'the columns are url,title',
  ]);
  expect(lines).toContain('21 of 21');
});

test('the README’s example of errors prints the service’s errors', async () => {
  const [first, second] = await runExample('errors.ts');
  expect(first).toBe('404 not found, request req_…');
  expect(second).toBe('target.parserId: Correct the named field and send the request again.');
});

test('the README’s webhook accepts signed events and rejects others', async () => {
  const { secret } = await client.webhooks.secret();
  const body = JSON.stringify({
    type: 'batch.finished',
    timestamp: new Date().toISOString(),
    data: { id: 'bat_1' },
  });
  const at = new Date();
  const headers = {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('dlv_1', at, body),
  };
  const post = (text: string) =>
    onWebhook(new Request('http://a.example/', { method: 'POST', headers, body: text }), secret);
  expect((await post(body)).status).toBe(204);
  expect((await post(`${body} `)).status).toBe(400);
});

test('every operation that is served has a method', async () => {
  const document = (await (await fetch(`${system.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>;
  };
  const routes = Object.values(ROUTES).flatMap((group) => Object.values(group));
  const missing = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // These are `apis.call`.
      .filter(([, { tags }]) => !tags.includes('Prebuilt APIs'))
      .filter(
        ([method]) => !routes.some((route) => route.path === path && route.method === method.toUpperCase()),
      )
      .map(([method]) => `${method} ${path}`),
  );
  expect(missing).toEqual([]);
});

test('a creating call repeated with its key creates once, and prebuilt APIs are called by id', async () => {
  const body = { name: 'once', schema: { fields: { a: 'h1' } } } as const;
  const first = await client.parsers.create(body, { idempotencyKey: 'k1' }).answer();
  const second = await client.parsers.create(body, { idempotencyKey: 'k1' }).answer();
  expect([first.isReplay, second.isReplay]).toEqual([false, true]);
  expect(second.data.id).toBe(first.data.id);
  await client.parsers.delete(first.data.id);
  const error: unknown = await client.apis.call('videosite-video', {}).catch((thrown: unknown) => thrown);
  expect(isGleanerError(error, 'invalid request')).toBe(true);
  const { apis } = await client.apis.list();
  expect(apis.map(({ id }) => id)).toContain('videosite-video');
});

test('a job is waited for, and rows of a database are filtered and exported', async () => {
  const parser = await client.parsers.create({
    name: 'rows',
    schema: { fields: { title: 'h1', price: { css: '.price', type: 'number' } } },
  });
  const store = await client.databases.create({ kind: 'managed', name: 'store' });
  const target = { type: 'parser', parserId: parser.id } as const;
  const sink = { mode: 'database', database: store.id, table: 'products' } as const;
  const seen: string[] = [];
  const job = await client.jobs.create({ target, url: `${site.url}/product`, sink });
  const ended = await client.jobs.waitFor(job, {
    onProgress: ({ status }) => seen.push(status),
    pollMs: 100,
  });
  expect([ended.status, seen.at(-1)]).toEqual(['succeeded', 'succeeded']);
  const filter = { price: { gt: 1000 } };
  const rows = await client.databases.listRows(store.id, 'products', { filter });
  expect(rows.rows).toMatchObject([{ title: 'Blue kettle', price: 1234.5 }]);
  const exported = await client.databases.exportTable(store.id, 'products', { filter: { price: { lt: 1 } } });
  expect(await exported.text()).toBe('');
});
