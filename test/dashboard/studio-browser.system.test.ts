import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSystem, type System } from '../system/start-system.ts';
import { openDashboard, type OpenDashboard, type Page } from './open-dashboard.ts';
import { clickInPage, pageShown } from './studio-actions.ts';

/** Pages that only a browser can read, through the whole service. */

let database: TestDatabase;
let system: System;
let dashboard: OpenDashboard;
let site: Server;
let origin: string;
/** Whether /guarded refuses. */
let isGuarded = true;

/** Empty without its scripts: a name from /stock.json, and rows after a click. */
const APP = `<!doctype html><title>Shop</title><div id="app"></div><script>
setTimeout(() => fetch('/stock.json').then((answer) => answer.json()).then(({ name }) => {
  document.querySelector('#app').innerHTML = '<h1>' + name + '</h1><input name="q"><button class="more">More</button><ul></ul>';
  document.querySelector('.more').onclick = () => {
    const word = document.querySelector('input').value;
    document.querySelector('ul').innerHTML = '<li class="row">' + word + ' one</li>';
  };
}), 3_000);</script>`;

/** An article beside a list of others. */
const ARTICLE = `<!doctype html><html lang="en"><title>Kettles | Shop</title><main><article><h1>Why kettles whistle</h1>
${'<p>Steam leaves the spout through two plates with a <b>hole</b> each, and the air between them vibrates.</p>'.repeat(6)}
</article></main><ul>${['Alder', 'Birch', 'Cedar', 'Elm']
  .map(
    (name) =>
      `<li class="card"><a class="name" href="/${name}">Kettle ${name}</a> <span class="price">$9.50</span></li>`,
  )
  .join('')}</ul></html>`;

const PAGES: Readonly<Record<string, string>> = { '/app': APP, '/article': ARTICLE };

beforeAll(async () => {
  site = createServer(({ url }, response) => {
    const page = PAGES[url ?? ''] ?? '<h1>Open again</h1>';
    if (url === '/stock.json') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"name": "Blue kettle", "stock": {"count": 7}}');
    } else {
      const status = url === '/guarded' && isGuarded ? 403 : 200;
      response.writeHead(status, { 'content-type': 'text/html' }).end(page);
    }
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  database = await createTestDatabase();
  system = await startSystem({ databaseUrl: database.url, env: { GLEANER_WORKER_QUEUES: 'http,browser' } });
  dashboard = await openDashboard(system, database.url);
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dashboard.close();
  await system.stop();
  await database.close();
  site.close();
});

function frameOf(page: Page) {
  return page.frameLocator('iframe[title^="The page"]');
}

it('shows text, data, picture and fields of an address to who has nothing, and begins a parser with them', async () => {
  const client = await system.client();
  const { json: before } = await client.call('GET', '/v1/credits');
  const page = await dashboard.open({ client });
  await page.getByRole('textbox', { name: 'Address of a page' }).fill(`${origin}/article`);
  await page.getByRole('button', { name: 'Open for 1 credit' }).click();
  await page.getByRole('region', { name: 'Text of the page' }).getByText('# Why kettles whistle').waitFor();
  const data = page.getByRole('region', { name: 'Data of the page' });
  await data.getByText('"title": "Kettles | Shop"').waitFor();
  await page.getByRole('button', { name: 'Open it in a browser for 5 credits' }).click();
  const picture = page.getByRole('img', { name: `Screenshot of ${origin}/article` });
  await picture.waitFor();
  await expect
    .poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth), {
      timeout: 100_000,
    })
    .toBeGreaterThan(100);
  // What was paid for stays in the tab.
  await page.reload();
  await picture.waitFor();
  await data.getByText('"title": "Kettles | Shop"').waitFor();
  const { json } = await client.call('GET', '/v1/parsers');
  expect(json).toMatchObject({ parsers: [] });
  await page.getByRole('button', { name: /^Use \d+ fields?/ }).click();
  await page.waitForURL(/\/parsers\/new/);
  await frameOf(page).getByText('Kettle Alder').waitFor();
  const values = page.getByRole('region', { name: 'Values', exact: true });
  await values.getByRole('button', { name: 'Why kettles whistle' }).waitFor();
  const { json: after } = await client.call('GET', '/v1/credits');
  // Once without and once in a browser: the studio fetches nothing again.
  const { creditBalance } = before as { creditBalance: number };
  expect(after).toMatchObject({ creditBalance: creditBalance - 6 });
});

it('reads a page that needs a browser, records what is done in it, and saves how it is fetched', async () => {
  const client = await system.client();
  const page = await dashboard.open({ client, path: '/parsers' });
  // Without a scheme: only http answers there.
  const address = `${origin.replace('http://', '')}/app`;
  await page.getByRole('textbox', { name: 'Address of a page' }).fill(address);
  await page.getByRole('button', { name: 'Open for 1 credit' }).click();
  await page.getByText(`https://${address} did not answer, so this is http://${address}.`).waitFor();
  await page.getByText('Without its scripts this page shows almost nothing.').waitFor();
  await page.getByRole('button', { name: 'Run its scripts in a browser for 5 credits' }).click();
  // Its data comes when the page has been quiet for a while.
  await page.getByRole('button', { name: 'Wait 5 seconds for 5 credits' }).click();
  await frameOf(page).locator('h1').getByText('Blue kettle').waitFor();
  // Two words are little, but not nothing.
  expect(await page.getByText('still almost empty').count()).toBe(0);

  await page.getByText('Page data', { exact: true }).click();
  await page.getByRole('heading', { name: 'Loaded from /stock.json' }).waitFor();
  await page.getByRole('button', { name: /^count 7/ }).click();
  await page
    .getByRole('region', { name: 'Values', exact: true })
    .getByRole('button', { name: '7', exact: true })
    .waitFor();

  await page.getByText('Fetch', { exact: true }).click();
  await page.getByRole('button', { name: 'Record actions in the page' }).click();
  const recording = page.getByRole('region', { name: 'Recording' });
  await clickInPage(page, 'input');
  await recording.getByRole('textbox', { name: /^Type into/ }).fill('kettle');
  await recording.getByRole('button', { name: 'Add', exact: true }).click();
  await clickInPage(page, '.more');
  await recording.getByRole('button', { name: 'Fetch this page again for 5 credits' }).click();
  await frameOf(page).locator('.row').getByText('kettle one').waitFor();
  await recording.getByRole('button', { name: 'Done' }).click();
  await clickInPage(page, '.row');
  await page.getByRole('region', { name: 'Values', exact: true }).getByText('kettle one').waitFor();

  await page.getByRole('button', { name: /^Save/ }).click();
  await page.waitForURL(/\/parsers\/prs_/);
  const { json } = await client.call('GET', '/v1/parsers');
  const [parser] = (json as { parsers: { id: string; scrape_config: unknown }[] }).parsers;
  expect(parser?.scrape_config).toEqual({
    useBrowser: true,
    waitSeconds: 5,
    actions: [{ type: { into: '[name="q"]', text: 'kettle' } }, { click: '.more' }],
  });
  const scraped = await client.call(
    'GET',
    `/v1/scrape/${parser?.id}?url=${encodeURIComponent(`${origin}/app`)}`,
  );
  expect(scraped.json).toMatchObject({ count: 7, li: 'kettle one' });
});

it('offers what the advice about a blocked page says, and keeps its address', async () => {
  const page = await dashboard.open({ client: await system.client(), path: '/parsers/new' });
  const address = page.getByRole('textbox', { name: 'Address of a page' });
  await address.fill(`${origin}/guarded`);
  await page.getByRole('button', { name: 'Open for 1 credit' }).click();
  const inBrowser = page.getByRole('button', { name: 'Try it in a browser for 5 credits' });
  await inBrowser.waitFor();
  expect(await address.inputValue()).toBe(`${origin}/guarded`);
  isGuarded = false;
  await inBrowser.click();
  await pageShown(page);
  await page.getByText('Fetch', { exact: true }).click();
  expect(await page.getByRole('checkbox', { name: /scripts in a browser/ }).isChecked()).toBe(true);
});
