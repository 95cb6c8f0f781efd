import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { productOf, startShop, type Shop } from '../system/shop-site.ts';
import { until } from '../system/until.ts';
import { openSystem, type SharedSystem } from '../system/use-system.ts';

const PAGES = 6;
const SCHEMA = {
  fields: {
    title: { css: ['h1.title', '.product-name'] },
    makers: { css: '.maker', take: 'all' },
    offer: { fields: { price: { css: '.price', type: 'number' } } },
  },
};

let system: SharedSystem;
let elsewhere: TestDatabase;
let shops: Shop[];
beforeAll(async () => {
  system = openSystem();
  [elsewhere, ...shops] = [await createTestDatabase(), await startShop(), await startShop()];
});
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.close()));
  await elsewhere.close();
  await system.close();
});

it.each([
  ['managed', 0],
  ['postgres', 1],
] as const)(
  'a list that left the pages stays in a %s table, and the run says in how many rows',
  async (kind, at) => {
    const client = await system.client();
    const shop = shops[at];
    if (shop === undefined) throw new Error('no shop');
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const { status, json, text } = await client.call(method, path, body);
      if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
      return json as T;
    };
    const create = async (path: string, body: unknown) => (await call<{ id: string }>('POST', path, body)).id;
    const own = kind === 'postgres' ? { connection_url: elsewhere.url } : {};
    const database = await create('/v1/databases', { name: kind, kind, ...own });
    const parserId = await create('/v1/parsers', { name: kind, schema: SCHEMA });
    const run = async (): Promise<unknown> => {
      const id = await create('/v1/batches', {
        target: { type: 'parser', parserId },
        sink: { mode: 'database', database, table: 'kettles' },
        urls: Array.from({ length: PAGES }, (_, number) => shop.product(number)),
      });
      let found: { status: string; counts: unknown } | undefined;
      await until('the batch ends', async () => {
        found = await call('GET', `/v1/batches/${id}`);
        return found?.status === 'succeeded';
      });
      return found?.counts;
    };
    expect(await run()).toMatchObject({ succeeded: PAGES, rows_kept: 0 });
    shop.redesign();
    expect(await run()).toMatchObject({ succeeded: PAGES, rows_kept: PAGES });
    const { rows } = await call<{ rows: { title: string }[] }>(
      'GET',
      `/v1/databases/${database}/tables/kettles/rows`,
    );
    const byTitle = new Map(rows.map((row) => [row.title, row]));
    for (const number of Array.from({ length: PAGES }).keys()) {
      const { title, maker, price } = productOf(number);
      expect(byTitle.get(title)).toMatchObject({ makers: [maker], offer: { price } });
    }
  },
);
