import { startShop, type Shop } from '../system/shop-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const SCHEMA = {
  fields: {
    title: { css: 'h1.title' },
    price: { css: '.price', type: 'number' },
    maker: { css: '.maker' },
    seal: { css: '.seal' },
  },
};
/** One field stays on the page after the redesign, so its pages are not empty. */
const HALF_SCHEMA = {
  fields: { page: { css: 'title' }, name: { css: 'h1.title' }, price: { css: '.price', type: 'number' } },
};
const PAGES = 40;
/** Chunks may write the counts of these last: seven good pages would end the alarm. */
const GOOD = 6;
const HELD = 12;

/** A shop that was redesigned while parsers read it: failed pages, held rows, alarms. */
export interface LifecycleData {
  shop: Shop;
  database: string;
  /** Reads nothing of the new pages: they failed and were kept. */
  broken: { parser: string; batch: string };
  /** Reads one of three fields of the new pages: its rows are held back. */
  degraded: { parser: string; batch: string };
}

interface Host {
  state: string;
  pages: number;
}

export async function makeLifecycleData(client: Client): Promise<LifecycleData> {
  const shop = await startShop();
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const { status, json, text } = await client.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json as T;
  };
  const create = async (path: string, body: unknown): Promise<string> =>
    (await call<{ id: string }>('POST', path, body)).id;
  const awaitEnd = (id: string): Promise<void> =>
    until(
      'the batch ends',
      async () => {
        const { status } = await call<{ status: string }>('GET', `/v1/batches/${id}`);
        return status === 'succeeded' || status === 'failed';
      },
      60_000,
    );
  const hostOf = async (parser: string): Promise<Host | undefined> =>
    (await call<{ hosts: Host[] }>('GET', `/v1/parsers/${parser}/health`)).hosts[0];

  const database = await create('/v1/databases', { name: 'kettles', kind: 'managed' });
  const broken = await create('/v1/parsers', { name: 'kettle shop', schema: SCHEMA });
  const degraded = await create('/v1/parsers', { name: 'kettle prices', schema: HALF_SCHEMA });
  const run = (parserId: string, table: string, name: string, urls: string[]): Promise<string> =>
    create('/v1/batches', {
      name,
      target: { type: 'parser', parserId },
      sink: { mode: 'database', database, table, nulls: 'overwrite', on_drift: 'quarantine' },
      urls,
    });
  const urls = Array.from({ length: PAGES }, (_, number) => shop.product(number));
  const first = await Promise.all([
    run(broken, 'products', 'kettles, Monday', urls),
    run(degraded, 'prices', 'prices, Monday', urls),
  ]);
  await Promise.all(first.map(awaitEnd));
  for (const parser of [broken, degraded])
    await until('the health is known', async () => (await hostOf(parser))?.pages === PAGES);

  shop.redesignAfter(GOOD);
  const brokenBatch = await run(broken, 'products', 'kettles, Tuesday', urls);
  await awaitEnd(brokenBatch);
  const degradedBatch = await run(degraded, 'prices', 'prices, Tuesday', urls.slice(0, HELD));
  await awaitEnd(degradedBatch);
  for (const parser of [broken, degraded])
    await until('the alarm is raised', async () => (await hostOf(parser))?.state !== 'healthy');
  await until('rows are held back', async () => {
    const path = `/v1/batches/${degradedBatch}/quarantine?limit=100&state=held`;
    return (await call<{ rows: unknown[] }>('GET', path)).rows.length === HELD;
  });
  // A page that a busy machine fetches twice is one of the first ones, so the batch says how many failed.
  const { counts } = await call<{ counts: { failed: number } }>('GET', `/v1/batches/${brokenBatch}`);
  await until('the pages are kept', async () => {
    const { pages } = await call<{ pages: unknown[] }>('GET', `/v1/pages?run=${brokenBatch}&limit=100`);
    return pages.length === counts.failed;
  });
  return {
    shop,
    database,
    broken: { parser: broken, batch: brokenBatch },
    degraded: { parser: degraded, batch: degradedBatch },
  };
}
