import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase } from '@gleaner/db/testing';
import { expect, it } from 'vitest';
import { startSystem } from './system/start-system.ts';
import { until } from './system/until.ts';

const PAGES = 30;
const PRICES = { http: 1, browser: 5 };
const SHELL = '<!doctype html><div id="root"></div><script src="/app.js"></script>';
const SCRIPT = 'document.getElementById("root").innerHTML = `<h1>${location.pathname}</h1>`';

type Way = keyof typeof PRICES;

interface Batch {
  id: string;
  status: string;
  counts: { succeeded: number };
  credits: { used: number; reserved: number };
  ways: { fetched_by: Way; pages: number; credits: number }[];
}

interface Result {
  url: string;
  fetched_by: Way;
  price: number;
}

/** A site of which every third page needs a browser. It notes who asked for what. */
async function startSite() {
  const asked = { http: new Set<string>(), browser: new Set<string>() };
  const server = createServer(({ url: path = '/', headers }, response) => {
    if (path === '/app.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPT);
      return;
    }
    asked[headers['sec-fetch-dest'] === undefined ? 'http' : 'browser'].add(path);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(Number(path.slice(1)) % 3 === 0 ? SHELL : `<!doctype html><h1>${path}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it(
  'charges each page once, by the way that the site saw, while everything is killed',
  { timeout: 900_000 },
  async () => {
    const database = await createTestDatabase();
    const site = await startSite();
    const system = await startSystem({
      databaseUrl: database.url,
      workers: 2,
      env: { GLEANER_WORKER_QUEUES: 'http,browser' },
    });
    try {
      const client = await system.client({ credits: 1_000, concurrency: 8 });
      const { json: parser } = await client.call('POST', '/v1/parsers', {
        name: 'titles',
        schema: { fields: { title: { css: 'h1', required: true } } },
      });
      const { json } = await client.call('POST', '/v1/batches', {
        target: { type: 'parser', parserId: (parser as { id: string }).id },
        urls: Array.from({ length: PAGES }, (_, page) => `${site.origin}/${page}`),
        // The time of a killed attempt counts, and a busy machine needs some.
        scrape_config: { escalate: 'browser', timeoutSeconds: 120, retries: 5 },
      });
      const { id } = json as Batch;
      const read = async (): Promise<Batch> => (await client.call('GET', `/v1/batches/${id}`)).json as Batch;
      for (const rendered of [1, 5]) {
        await until('pages were rendered', () => site.asked.browser.size >= rendered, 300_000);
        const all = [system.api, system.scheduler, ...system.workers];
        await Promise.all(all.map((process) => process.kill()));
        await Promise.all(all.map((process) => process.restart({ PORT: new URL(system.baseUrl).port })));
      }
      await until('the batch ends', async () => (await read()).status === 'succeeded', 300_000);
      const { counts, credits, ways } = await read();
      const { json: page } = await client.call('GET', `/v1/batches/${id}/results?limit=${PAGES}`);
      const { results } = page as { results: Result[] };
      const unseen = results.filter(
        ({ url, fetched_by: by, price }) =>
          !site.asked[by].has(new URL(url).pathname) || price !== PRICES[by],
      );
      expect(unseen).toEqual([]);
      const sum = results.reduce((before, { price }) => before + price, 0);
      const [ledger] = await database.db.sql<{ settled: number }[]>`
      SELECT sum(credits)::int AS settled FROM gleaner.ledger_entries
      WHERE kind = 'settle' AND account_id = ${client.accountId}`;
      expect({
        succeeded: counts.succeeded,
        results: results.length,
        credits,
        ledger: ledger?.settled,
        ways: ways.reduce((before, way) => before + way.credits, 0),
      }).toEqual({
        succeeded: PAGES,
        results: PAGES,
        credits: expect.objectContaining({ used: sum, reserved: 0 }),
        ledger: sum,
        ways: sum,
      });
      expect(sum).toBeGreaterThanOrEqual((PAGES / 3) * PRICES.browser + ((PAGES * 2) / 3) * PRICES.http);
    } finally {
      await system.stop();
      site.close();
      await database.close();
    }
  },
);
