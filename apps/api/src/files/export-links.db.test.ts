import { revokeKey } from '@gleaner/core';
import { createTestAccount, submitTestRun, testUrls } from '@gleaner/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestMcp, type TestMcp } from '../mcp/testing/test-mcp.ts';

let api: TestMcp;
let apiKey: string;
let accountId: string;
let database: string;
beforeAll(async () => {
  api = await openTestMcp();
  ({ accountId, apiKey } = await createTestAccount(api.services, { credits: 1_000 }));
  ({ id: database } = (await post('/v1/databases', { name: 'shop', kind: 'managed' })).body as {
    id: string;
  });
  await api.services.db.sql
    .unsafe(`CREATE TABLE "${database}".products (_url text PRIMARY KEY, price bigint, note text);
    INSERT INTO "${database}".products SELECT 'http://' || n, n, '=1+1' FROM generate_series(1, 3) n`);
});
afterAll(() => api.close());

async function post(
  path: string,
  body: object,
  more: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; isReplay: boolean }> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', ...more };
  const answer = await fetch(new URL(path, api.url), { method: 'POST', headers, body: JSON.stringify(body) });
  const isReplay = answer.headers.get('idempotent-replay') === 'true';
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, isReplay };
}

/** The address of a link on the server of this test. */
async function link(path: string, body: object): Promise<URL> {
  const made = await post(path, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const hours = (Date.parse(String(made.body['expires_at'])) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  return new URL(new URL(String(made.body['url'])).pathname, api.url);
}
function linkPath(): string {
  return `/v1/databases/${database}/tables/products/export-link`;
}

it('anyone with a download link gets the table as it is then, as a file', async () => {
  const filter = JSON.stringify({ price: { gte: 2 } });
  const url = await link(linkPath(), { format: 'csv', filter, columns: 'price,note' });
  expect(url.pathname).toMatch(/^\/files\/exl_[0-9a-f]{40}$/);
  await api.services.db.sql.unsafe(`INSERT INTO "${database}".products VALUES ('http://4', 4, NULL)`);
  const answer = await fetch(url);
  expect(await answer.text()).toBe("price,note\n2,'=1+1\n3,'=1+1\n4,\n");
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="products.csv"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  const zipped = await link(linkPath(), { format: 'ndjson', gzip: true });
  expect((await fetch(zipped)).headers.get('content-type')).toBe('application/gzip');
});

it('a link is refused for what can’t be exported', async () => {
  for (const body of [{ filter: '{"color":1}' }, { columns: 'color' }, { format: 'parquet', gzip: true }])
    expect((await post(linkPath(), body)).status).toBe(400);
  expect((await post(`/v1/databases/${database}/tables/none/export-link`, {})).status).toBe(404);
});

it('a link to the results of a batch ends with them', async () => {
  const { sql } = api.services.db;
  const { id, no } = await submitTestRun(api.services, accountId, testUrls(1));
  await sql`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer) VALUES (${no}, 0, 1, 1, true, '{"a":1}')`;
  const url = await link(`/v1/batches/${id}/export-link`, { format: 'ndjson' });
  expect(await (await fetch(url)).json()).toMatchObject({ url: testUrls(1)[0], data: { a: 1 } });
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ${no}`;
  await sql`UPDATE gleaner.runs SET state = 'succeeded' WHERE no = ${no}`;
  const headers = { 'x-api-key': apiKey };
  expect((await fetch(new URL(`/v1/batches/${id}`, api.url), { method: 'DELETE', headers })).status).toBe(
    204,
  );
  expect((await fetch(url)).status).toBe(404);
});

it('the same key gives the same link, which is stored sealed', async () => {
  const { sql } = api.services.db;
  const { id } = await submitTestRun(api.services, accountId, testUrls(1));
  for (const [place, path] of [linkPath(), `/v1/batches/${id}/export-link`].entries()) {
    const key = { 'idempotency-key': `link-${place}` };
    const first = await post(path, {}, key);
    expect(first).toMatchObject({ status: 201, isReplay: false });
    expect(await post(path, {}, key), path).toEqual({ ...first, isReplay: true });
    const token = String(first.body['url']).split('/').at(-1) ?? '';
    expect(await sql`SELECT FROM gleaner.idempotency_keys k WHERE k::text LIKE ${`%${token}%`}`).toEqual([]);
    expect((await post(path, { format: 'csv' }, key)).status).toBe(409);
  }
});

it('a link ends with its day, its table, its account and its key, and its secret is not stored', async () => {
  const { sql } = api.services.db;
  const url = await link(linkPath(), {});
  const token = url.pathname.split('/').at(-1) ?? '';
  const status = async (): Promise<number> => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await status()).toBe(200);
  const stored = await sql`SELECT FROM gleaner.export_links l WHERE l::text LIKE ${`%${token}%`}`;
  expect(stored).toHaveLength(0);
  const [kept] = await sql<
    { expires_at: Date }[]
  >`SELECT max(expires_at) AS expires_at FROM gleaner.export_links`;
  await sql`UPDATE gleaner.export_links SET expires_at = now()`;
  expect(await status()).toBe(404);
  await sql`UPDATE gleaner.export_links SET expires_at = ${kept?.expires_at ?? null}`;
  await sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${accountId}`;
  expect(await status()).toBe(404);
  await sql`UPDATE gleaner.accounts SET is_active = true WHERE id = ${accountId}`;
  expect(await status()).toBe(200);
  const table = new URL(`/v1/databases/${database}/tables/products`, api.url);
  expect((await fetch(table, { method: 'DELETE', headers: { 'x-api-key': apiKey } })).status).toBe(204);
  await sql.unsafe(`CREATE TABLE "${database}".products (_url text PRIMARY KEY)`);
  expect(await status()).toBe(404);
  const again = await link(linkPath(), {});
  const [key] = await sql<{ id: string }[]>`SELECT id FROM gleaner.api_keys WHERE account_id = ${accountId}`;
  await revokeKey(api.services.db, key?.id ?? '');
  expect((await fetch(again)).status).toBe(404);
});
