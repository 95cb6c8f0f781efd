import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

let dashboard: Dashboard;
let shop: Server;
let origin: string;

/** Two list pages with three products each; the last product is gone. */
function answer(path: string): { status: number; body: string } {
  const list = /^\/list\/(\d)$/.exec(path)?.[1];
  if (list !== undefined) {
    const items = [1, 2, 3].map((item) => `<li><a href="/product/${list}${item}">Item</a></li>`).join('');
    const next = list === '1' ? '<a class="next" href="/list/2">next</a>' : '';
    return { status: 200, body: `<h1>List</h1><ul>${items}</ul>${next}` };
  }
  if (path === '/product/23') return { status: 404, body: '<h1>gone</h1>' };
  return { status: 200, body: `<h1>Product ${path}</h1>` };
}

beforeAll(async () => {
  shop = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<!doctype html><body>${body}</body>`);
  }).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  dashboard = await startDashboard();
  origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dashboard.close();
  shop.close();
});

it('makes a workflow of two stages, names a faulty path, runs it and shows what failed', async () => {
  const client = await dashboard.system.client();
  await client.call('POST', '/v1/parsers', { name: 'product', schema: { fields: { title: 'h1' } } });
  await client.call('POST', '/v1/parsers', {
    name: 'shop list',
    schema: {
      fields: {
        next: { css: 'a.next@href', type: 'url' },
        items: { css: 'li', take: 'all', fields: { url: { css: 'a@href', type: 'url' } } },
      },
    },
  });
  const page = await dashboard.open({ client, path: '/workflows/new' });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop');
  await page.getByRole('button', { name: /^Follow its own results/ }).click();
  await page.getByRole('combobox', { name: 'Path in its results' }).fill('$.next');
  await page.getByRole('button', { name: 'Stage', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name of the stage' }).fill('details');
  await page.getByRole('combobox', { name: 'Read each page with' }).click();
  await page.getByRole('option', { name: 'product' }).click();
  const path = page.getByRole('combobox', { name: 'Path in its results' });
  // What the parser of the stage before finds.
  expect(await path.inputValue()).toBe('$.items[*].url');
  await path.fill('$.nothing[*].url');
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await page
    .getByRole('alert')
    .getByText(/stages\[1\]/)
    .waitFor();
  await path.click();
  await page.getByRole('option', { name: '$.items[*].url' }).click();
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await page.waitForURL(/\/workflows\/wfl_/);

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('textbox', { name: /^Pages of the first stage/ }).fill(`${origin}/list/1`);
  await page.getByRole('button', { name: 'Run for at least 1 credit' }).click();
  await page.waitForURL(/\/workflow-runs\//);
  await page.getByText('8 of 8').waitFor();
  await page.getByText('6 of 6').waitFor();
  await page.getByRole('cell', { name: /product\/23/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Retry 1 failed' }).isVisible()).toBe(true);

  // A failed page has an address of its own, its timeline and the way to the studio.
  await page.getByRole('button', { name: /product\/23/ }).click();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('First byte').waitFor();
  await page.getByRole('link', { name: 'Open this page in the studio' }).waitFor();
  const opened = page.url();
  await page.goBack();
  await timeline.waitFor({ state: 'detached' });
  await page.goto(opened);
  await timeline.getByText('First byte').waitFor();
});
