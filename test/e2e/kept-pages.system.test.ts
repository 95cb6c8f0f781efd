import { afterAll, beforeAll, expect, test } from 'vitest';
import { productOf, startShop, type Shop } from '../system/shop-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const SCHEMA = {
  fields: { title: { css: 'h1.title', required: true }, price: { css: '.price', type: 'number' } },
};
const NEW_SCHEMA = {
  fields: { title: { css: '.product-name', required: true }, price: { css: '.amount', type: 'number' } },
};

const system = useSystem();
let shop: Shop;
let client: Client;
beforeAll(async () => {
  shop = await startShop();
  client = await system.client();
});
afterAll(() => shop.close());

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { status, json, text } = await client.call(method, path, body);
  expect(status, text).toBeLessThan(300);
  return json as T;
}

interface Batch {
  id: string;
  status: string;
  counts: Record<string, number>;
  credits: { used: number };
}
interface Pages {
  pages: { id: string; run_id: string; url: string; error: string | null; size_bytes: number }[];
}

async function awaitEnd(id: string): Promise<Batch> {
  const ended: Batch[] = [];
  await until('the batch ends', async () => {
    const batch = await call<Batch>('GET', `/v1/batches/${id}`);
    if (['succeeded', 'failed', 'cancelled'].includes(batch.status)) ended.push(batch);
    return ended.length > 0;
  });
  const [batch] = ended;
  if (batch === undefined) throw new Error('the batch did not end');
  return batch;
}

async function runBatch(body: object): Promise<Batch> {
  const { id } = await call<Batch>('POST', '/v1/batches', body);
  return awaitEnd(id);
}

async function awaitPages(run: string, count: number): Promise<Pages['pages']> {
  const path = `/v1/pages?run=${run}&limit=100`;
  await until('the pages are kept', async () => (await call<Pages>('GET', path)).pages.length >= count);
  return (await call<Pages>('GET', path)).pages;
}

test('failed pages are kept by default, shown with their HTML, and parsed again for free', async () => {
  const parser = await call<{ id: string }>('POST', '/v1/parsers', { name: 'shop', schema: SCHEMA });
  const target = { type: 'parser', parserId: parser.id };
  shop.redesign();
  const urls = [1, 2, 3].map((number) => shop.product(number));
  const failed = await runBatch({ target, urls });
  expect(failed.counts).toMatchObject({ failed: 3 });
  const pages = await awaitPages(failed.id, 3);
  expect(pages.map(({ error }) => error)).toEqual(Array(3).fill('extraction failed'));
  const one = await call<{ html: string; url: string }>('GET', `/v1/pages/${pages[0]?.id}`);
  expect(one.html).toContain('product-name');

  await call('PUT', `/v1/parsers/${parser.id}`, { schema: NEW_SCHEMA });
  const hits = shop.hits();
  const again = await call<Batch>('POST', `/v1/batches/${failed.id}/reparse`, {});
  const ended = await awaitEnd(again.id);
  expect(ended).toMatchObject({ counts: { total: 3, succeeded: 3 }, credits: { used: 0 } });
  expect(shop.hits()).toBe(hits);
  const { results } = await call<{ results: unknown[] }>('GET', `/v1/batches/${again.id}/results`);
  expect(results).toEqual(
    [1, 2, 3].map((number) => ({
      url: shop.product(number),
      fetched_by: null,
      price: 0,
      data: { title: productOf(number).title, price: productOf(number).price },
    })),
  );
  // A re-parse can be parsed again: its pages are those it read.
  const third = await call<Batch>('POST', `/v1/batches/${again.id}/reparse`, { version: 1 });
  expect((await awaitEnd(third.id)).counts).toMatchObject({ failed: 3 });
});

test('a run keeps none, all or a sample as asked; no other account sees them', async () => {
  const parser = await call<{ id: string }>('POST', '/v1/parsers', {
    name: 'any',
    schema: { fields: { title: 'title' } },
  });
  const body = {
    target: { type: 'parser', parserId: parser.id },
    urls: Array.from({ length: 8 }, (_, number) => shop.product(number)),
  };
  const all = await runBatch({ ...body, keep_pages: 'all' });
  const [page] = await awaitPages(all.id, 8);
  const sample = await runBatch({ ...body, keep_pages: 'sample:4' });
  expect(await awaitPages(sample.id, 2)).toHaveLength(2);
  const none = await runBatch({ ...body, keep_pages: 'none' });
  expect((await call<Pages>('GET', `/v1/pages?run=${none.id}`)).pages).toEqual([]);
  const other = await system.client();
  expect(await other.call('GET', `/v1/pages/${page?.id}`)).toMatchObject({ status: 404 });
  expect((await other.call('GET', '/v1/pages')).json).toMatchObject({ pages: [] });
  expect(await client.call('POST', `/v1/batches/${none.id}/reparse`, {})).toMatchObject({ status: 404 });
  expect(await client.call('POST', '/v1/batches', { ...body, keep_pages: 'some' })).toMatchObject({
    status: 400,
    json: { field: 'keep_pages' },
  });
});

test('a re-parse writes to the same table, and never over a row of a later fetch', async () => {
  const { id: db } = await call<{ id: string }>('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
  const parser = await call<{ id: string }>('POST', '/v1/parsers', {
    name: 'titles',
    schema: { fields: { title: 'title' } },
  });
  const body = {
    target: { type: 'parser', parserId: parser.id },
    urls: [1, 2].map((number) => shop.product(number)),
    sink: { mode: 'database', database: db, table: 'products' },
    keep_pages: 'all',
  };
  const first = await runBatch(body);
  await awaitPages(first.id, 2);
  await runBatch({ ...body, urls: [shop.product(2)] });
  await call('PUT', `/v1/parsers/${parser.id}`, { schema: { fields: { title: { const: 'parsed again' } } } });
  const again = await call<Batch>('POST', `/v1/batches/${first.id}/reparse`, {});
  expect((await awaitEnd(again.id)).counts).toMatchObject({ succeeded: 2 });
  const { rows } = await call<{ rows: { _url: string; title: string }[] }>(
    'GET',
    `/v1/databases/${db}/tables/products/rows?order_by=_url`,
  );
  expect(rows.map(({ title }) => title)).toEqual(['parsed again', 'The new shop']);
});

test('the pages that a map kept fill a table with a parser, without a request and for free', async () => {
  const { id: db } = await call<{ id: string }>('POST', '/v1/databases', { name: 'mapped', kind: 'managed' });
  const parser = await call<{ id: string }>('POST', '/v1/parsers', {
    name: 'mapped',
    schema: { fields: { title: 'title' } },
  });
  const map = await call<Batch & { keep_pages: string }>('POST', '/v1/crawls/map', {
    start: [1, 2, 3].map((number) => shop.product(number)),
    crawl: { scope: 'page', sources: { sitemaps: false } },
    keep_pages: 'all',
  });
  const pages = await awaitPages(map.id, 3);
  expect(pages.map(({ run_id: run }) => run)).toEqual(Array(3).fill(`${map.id}/map`));
  expect(await call('GET', `/v1/crawls/${map.id}`)).toMatchObject({ keep_pages: 'all' });
  const body = {
    run: map.id,
    target: { type: 'parser', parserId: parser.id },
    sink: { mode: 'database', database: db, table: 'products' },
  };
  const hits = shop.hits();
  const made = await call<Batch>('POST', '/v1/pages/parse', { ...body, match: ['/p/1', '/p/3'] });
  expect(await awaitEnd(made.id)).toMatchObject({ counts: { succeeded: 2 }, credits: { used: 0 } });
  expect(shop.hits()).toBe(hits);
  const path = `/v1/databases/${db}/tables/products/rows?order_by=_url`;
  const { rows } = await call<{ rows: { _url: string }[] }>('GET', path);
  expect(rows.map(({ _url: url }) => url)).toEqual([shop.product(1), shop.product(3)]);
  // It fetched nothing, so it makes no collection of its parser.
  expect(await call('GET', `/v1/collections?id=${parser.id}`)).toMatchObject({ collections: [] });
  expect(await client.call('POST', '/v1/pages/parse', { ...body, match: '/q/*' })).toMatchObject({
    status: 404,
  });
  const other = await system.client();
  expect((await other.call('GET', `/v1/pages?run=${map.id}`)).json).toMatchObject({ pages: [] });
  const page = { type: 'parser', parserId: 'page' };
  expect(await other.call('POST', '/v1/pages/parse', { run: map.id, target: page })).toMatchObject({
    status: 404,
  });
});
