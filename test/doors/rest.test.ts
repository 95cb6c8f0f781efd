import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

it('takes a parser over REST to a scrape, a batch, its results, rows of a table and their price', async () => {
  const { call } = await system.client({ credits: 100 });
  const made = await call('POST', '/v1/parsers', {
    name: 'kettles',
    schema: { fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'money' } } },
  });
  expect(made.status).toBe(201);
  const { id } = made.json as { id: string };
  const data = { title: 'Blue kettle', price: { amount: 1234.5, currency: 'EUR' } };

  const scraped = await call('GET', `/v1/scrape/${id}?url=${encodeURIComponent(`${site.url}/product`)}`);
  expect(scraped).toMatchObject({ status: 200, json: data });
  expect(scraped.headers.get('x-credits-used')).toBe('1');

  const urls = [`${site.url}/product?1`, `${site.url}/missing`, `${site.url}/product?2`];
  const target = { type: 'parser', parserId: id };
  const batch = await call('POST', '/v1/batches', { target, urls, scrape_config: { retries: 0 } });
  expect(batch.status).toBe(202);
  const path = `/v1/batches/${(batch.json as { id: string }).id}`;
  await until('the batch ends', async () => {
    const { json } = await call('GET', path);
    return (json as { status: string }).status === 'succeeded';
  });
  expect((await call('GET', `${path}/results`)).json).toEqual({
    results: [
      { url: urls[0], fetched_by: 'http', price: 1, data },
      { url: urls[2], fetched_by: 'http', price: 1, data },
    ],
  });
  expect((await call('GET', `${path}/failures`)).json).toMatchObject({ failures: [{ url: urls[1] }] });

  const database = (await call('POST', '/v1/databases', { name: 'shop', kind: 'managed' })).json as {
    id: string;
  };
  const sink = { mode: 'database', database: database.id, table: 'kettles' };
  const job = await call('POST', '/v1/jobs', { target, url: urls[0], sink });
  const jobPath = `/v1/jobs/${(job.json as { id: string }).id}`;
  await until('the job ends', async () => {
    const { json } = await call('GET', jobPath);
    return (json as { status: string }).status === 'succeeded';
  });
  expect((await call('GET', `/v1/databases/${database.id}/tables/kettles/rows`)).json).toMatchObject({
    rows: [{ _url: urls[0], title: 'Blue kettle', price: 1234.5, price_currency: 'EUR' }],
  });
  expect((await call('GET', '/v1/credits')).json).toMatchObject({ creditBalance: 96 });
});
