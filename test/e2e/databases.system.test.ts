import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import postgres from 'postgres';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let elsewhere: TestDatabase;
let site: Site;
let client: Client;

interface Hook {
  headers: IncomingHttpHeaders;
  body: string;
}
const hooks: Hook[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    hooks.push({ headers: request.headers, body });
    response.end('ok');
  });
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  [elsewhere, site] = await Promise.all([createTestDatabase(), startSite()]);
  client = await system.client();
});
afterAll(async () => {
  receiver.close();
  await Promise.all([site.close(), elsewhere.close()]);
});

/** A created thing's answer, with the fields that are read of it. */
async function create(path: string, body: unknown, by = client): Promise<Record<string, string>> {
  const { status, json } = await by.call('POST', path, body);
  expect([201, 202]).toContain(status);
  return json as Record<string, string>;
}

async function createTarget() {
  const schema = {
    fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } },
  };
  return { type: 'parser', parserId: (await create('/v1/parsers', { name: 'p', schema })).id };
}

async function runBatch(sink: unknown, more: Record<string, unknown> = {}): Promise<string> {
  const urls = Array.from({ length: 30 }, (_, index) => `${site.url}/product?n=${index}`);
  const { id = '' } = await create('/v1/batches', { target: await createTarget(), urls, sink, ...more });
  await until('the batch succeeds', async () => {
    const { json } = await client.call('GET', `/v1/batches/${id}`);
    return (json as { status: string }).status === 'succeeded';
  });
  return id;
}

test('a batch into a managed table is read back through its read-only login', async () => {
  const { id = '' } = await create('/v1/databases', { name: 'managed', kind: 'managed' });
  const batchId = await runBatch({ mode: 'database', database: id, table: 'products' });
  const { connection_url: url = '' } = await create(`/v1/databases/${id}/credentials`, undefined);
  const reader = postgres(url, { max: 1, onnotice: () => undefined });
  const rows =
    await reader`SELECT count(*)::int AS n, min(title) AS title, min(_run_id) AS run FROM products`;
  expect(rows).toEqual([{ n: 30, title: 'Blue kettle', run: batchId }]);
  await expect(reader`SELECT * FROM gleaner.accounts`).rejects.toMatchObject({ code: '42501' });
  await reader.end({ timeout: 1 });

  const filter = encodeURIComponent(JSON.stringify({ _url: { contains: 'n=7' } }));
  const page = await client.call('GET', `/v1/databases/${id}/tables/products/rows?filter=${filter}`);
  expect(page.json).toMatchObject({ rows: [{ title: 'Blue kettle' }], pagination: { has_more: false } });
  const csv = await client.call('GET', `/v1/databases/${id}/tables/products/export?format=csv`);
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.text.trimEnd().split('\n')).toHaveLength(31);
});

test('a batch writes to an account’s own Postgres, and its webhook_url gets a signed event', async () => {
  const { id = '', ...shown } = await create('/v1/databases', {
    name: 'own',
    kind: 'postgres',
    connection_url: elsewhere.url,
  });
  expect(JSON.stringify(shown)).not.toContain(new URL(elsewhere.url).password);
  const { port } = receiver.address() as AddressInfo;
  const batchId = await runBatch(
    { mode: 'database', database: id, table: 'products', key: ['_url'] },
    { webhook_url: `http://127.0.0.1:${port}/` },
  );
  expect(await elsewhere.db.sql`SELECT count(*)::int AS n FROM products`).toEqual([{ n: 30 }]);
  await until('the webhook arrives', () => Promise.resolve(hooks.length > 0));
  const secret = await client.call('GET', '/v1/webhooks/secret');
  const [hook] = hooks;
  const headers = hook?.headers as Record<string, string>;
  expect(
    new Webhook((secret.json as { secret: string }).secret).verify(hook?.body ?? '', headers),
  ).toMatchObject({
    type: 'batch.finished',
    data: { id: batchId, status: 'succeeded', counts: { total: 30, succeeded: 30 } },
  });
  await until('the delivery is logged', async () => {
    const { json } = await client.call('GET', `/v1/webhooks/deliveries?run=${batchId}`);
    return (json as { deliveries: { status: string }[] }).deliveries[0]?.status === 'delivered';
  });
});

test('a repeated creation shows the same secret, which is only stored encrypted', async () => {
  const body = { url: 'https://a.example/', events: ['job.finished'] };
  const send = () => client.call('POST', '/v1/webhooks', body, { headers: { 'idempotency-key': 'hook' } });
  const first = await send();
  const again = await send();
  expect(again.headers.get('idempotent-replay')).toBe('true');
  expect(again.json).toEqual(first.json);
  const { secret } = first.json as { secret: string };
  expect(secret).toMatch(/^whsec_/);
  const stored = await system.db.sql`
    SELECT answer::text AS text FROM gleaner.idempotency_keys
    WHERE key = 'hook' AND account_id = ${client.accountId}`;
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain('whsec_');
});

test('another account’s database and webhook give the same response as unknown ones', async () => {
  const { id: db = '' } = await create('/v1/databases', { name: 'secret', kind: 'managed' });
  const { id: hook = '' } = await create('/v1/webhooks', {
    url: 'https://a.example/',
    events: ['job.finished'],
  });
  const stranger = await system.client();
  const routes: [string, string, unknown?][] = [
    ['GET', '/v1/databases/DB'],
    ['PUT', '/v1/databases/DB', { name: 'mine' }],
    ['DELETE', '/v1/databases/DB'],
    ['GET', '/v1/databases/DB/tables/products/rows'],
    ['GET', '/v1/databases/DB/tables/products/export'],
    ['DELETE', '/v1/databases/DB/tables/products'],
    ['POST', '/v1/databases/DB/credentials'],
    ['GET', '/v1/webhooks/HOOK'],
    ['PUT', '/v1/webhooks/HOOK', { enabled: false }],
    ['DELETE', '/v1/webhooks/HOOK'],
    ['GET', '/v1/webhooks/HOOK/deliveries'],
    ['POST', '/v1/webhooks/HOOK/deliveries/dlv_1/replay'],
  ];
  for (const [method, path, body] of routes) {
    const [foreign, absent] = await Promise.all([
      stranger.call(method, path.replace('DB', db).replace('HOOK', hook), body),
      stranger.call(method, path.replace('DB', 'db_none').replace('HOOK', 'whk_none'), body),
    ]);
    expect(foreign.status, path).toBe(404);
    expect(foreign.text, path).toBe(absent.text);
  }
  const job = (database: string) =>
    stranger.call('POST', '/v1/jobs', {
      target: { type: 'api', id: 'realty-search' },
      input: { location: 'x' },
      sink: { mode: 'database', database, table: 't' },
    });
  expect((await job(db)).text).toBe((await job('db_none')).text);
});
