import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findTestData } from '../test-data.mjs';
import { startDashboard, type Dashboard } from './start-dashboard.ts';
import { clickInPage, openHtml, pageShown } from './studio-actions.ts';

const PAGES = findTestData('pages');

let dashboard: Dashboard;
let site: Server;
let origin: string;

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A page with its looks elsewhere, some of them hostile. */
const FILES: Record<string, { type: string; body: string | Buffer }> = {
  '/page': {
    type: 'text/html',
    body: `<!doctype html><head><link rel="stylesheet" href="/look.css"><title>Lamp</title></head>
      <body><h1>Blue lamp</h1><p class="price">12.50 EUR</p><img src="/pixel.png" width="40" height="40">
      <img src="/evil.svg" width="10" height="10"></body>`,
  },
  '/look.css': {
    type: 'text/css',
    body: `@import "/more.css"; h1 { color: rgb(1, 2, 3) } body { background: url(/pixel.png) }
      p { background: url(/beacon); } @font-face { font-family: x; src: u\\72l(/beacon-font) }
      .studio, body.owned { display: none }`,
  },
  '/more.css': { type: 'text/css', body: '.price { font-weight: 900 }' },
  '/pixel.png': { type: 'image/png', body: PIXEL },
  '/beacon': { type: 'text/html', body: '<script>parent.document.title="owned"</script>' },
  '/evil.svg': {
    type: 'image/svg+xml',
    body: `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title='owned'"><script>parent.document.title='owned'</script></svg>`,
  },
};

beforeAll(async () => {
  site = createServer((request, response) => {
    const file = FILES[request.url ?? ''];
    if (file) response.writeHead(200, { 'content-type': file.type }).end(file.body);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  dashboard = await startDashboard();
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dashboard.close();
  site.close();
});

it('proposes records and facts without asking, and three clicks make a parser of them', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  await page.getByRole('button', { name: /^A shop/ }).click();
  const use = page.getByRole('button', { name: /^Use \d fields/ });
  await use.click();
  await page.getByRole('button', { name: 'Travel mug', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.waitForURL(/\/parsers\/prs_/);
  const id = /prs_\w+/.exec(page.url())?.[0] ?? '';
  const { json } = await client.call('GET', `/v1/parsers/${id}`);
  const { schema } = json as { schema: { fields: { items: { fields: object } } } };
  expect(Object.keys(schema.fields.items.fields)).toEqual(expect.arrayContaining(['name', 'price', 'stock']));
});

it('waits for the engine to load, however long it takes, and says when it can not be loaded', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client(), isFresh: true });
  const { promise: loading, resolve: load } = Promise.withResolvers<void>();
  await page.route(/extract\.worker/, async (route) => {
    await loading;
    await route.continue();
  });
  await page.clock.install();
  await page.goto(`${dashboard.system.baseUrl}/parsers/new?example=shop`);
  await page.getByText('Looking for repeated elements').waitFor();
  await page.clock.runFor(60_000);
  load();
  await page.getByRole('button', { name: /^Use \d fields/ }).waitFor();

  await page.unroute(/extract\.worker/);
  await page.route(/extract\.worker/, (route) => route.abort());
  await page.reload();
  await page.getByText('Nothing could be proposed: the extraction engine could not be loaded').waitFor();
  expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
});

it('finds where a typed value stands', async () => {
  const page = await dashboard.open({
    client: await dashboard.system.client(),
    path: '/parsers/new?example=article',
  });
  await pageShown(page);
  await page.getByRole('button', { name: 'From an example' }).click();
  await page.getByRole('textbox', { name: 'A value on this page' }).fill('Ada Field');
  await page.getByRole('textbox', { name: 'Name of the field' }).fill('author');
  await page.getByRole('button', { name: 'Find it', exact: true }).click();
  await page.getByRole('button', { name: 'Ada Field', exact: true }).waitFor();
  expect(await page.getByRole('region', { name: 'Field author' }).isVisible()).toBe(true);
});

it('shows a page with its own styles and images, and its browser asks nobody else for them', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${dashboard.system.baseUrl}/parsers/new?open=${encodeURIComponent(`${origin}/page`)}`);
  // A link spends nothing: the person opens the page.
  const open = page.getByRole('button', { name: 'Open for 1 credit' });
  await open.waitFor();
  expect(requests.filter((url) => url.includes('/preview'))).toEqual([]);
  await open.click();
  await pageShown(page);
  const frame = page.frameLocator('iframe[title^="The page"]');
  await expect
    .poll(() => frame.locator('h1').evaluate((element) => getComputedStyle(element).color))
    .toBe('rgb(1, 2, 3)');
  await expect
    .poll(() => frame.locator('img').first().getAttribute('src'))
    .toMatch(/^data:image\/png;base64,/);
  await expect
    .poll(() => frame.locator('body').evaluate((element) => getComputedStyle(element).backgroundImage))
    .toMatch(/^url\("data:image\/png/);
  expect(await frame.locator('.price').evaluate((element) => getComputedStyle(element).fontWeight)).toBe(
    '900',
  );
  await clickInPage(page, 'h1');
  await page.getByRole('region', { name: 'Values' }).getByText('Blue lamp').waitFor();
  expect(await page.title()).not.toBe('owned');
  expect(requests.filter((url) => url.startsWith(origin))).toEqual([]);
  expect(await page.getByRole('region', { name: 'Fields', exact: true }).isVisible()).toBe(true);
});

it('reads the value that was clicked, though others before it look the same', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(
    page,
    dashboard.system.baseUrl,
    `<h2 id="all-about-lamps">All about lamps</h2>
    <div class="line"><span></span><span>Monday</span></div><div class="line"><span></span><span>Reviews</span></div>`,
  );
  const values = page.getByRole('region', { name: 'Values' });
  await clickInPage(page, '.line span', 1);
  await values.getByText('Monday', { exact: true }).waitFor();
  // Two alike things are no list, and the first field stays.
  await clickInPage(page, '.line span', 3);
  await values.getByText('Reviews').waitFor();
  await values.getByText('Monday', { exact: true }).waitFor();
  // An id that repeats the text is not on the next page.
  await clickInPage(page, 'h2');
  await values.getByText('All about lamps').waitFor();
  const chosen = page.getByRole('region', { name: 'Selectors for the picked element' });
  expect(await chosen.getByRole('button', { pressed: true }).textContent()).not.toContain('all-about-lamps');
});

it('keeps an unsaved parser under its address while another page is visited', async () => {
  const page = await dashboard.open({
    client: await dashboard.system.client(),
    path: '/parsers/new?example=article',
  });
  await clickInPage(page, 'h1');
  await page.getByRole('button', { name: /^headline/ }).waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await page.goBack();
  const kept = page.getByRole('button', { name: /^headline/ });
  await kept.waitFor();
  expect(await kept.count()).toBe(1);
});

const TEN = [
  'rd_lwn-1.html',
  'rd_guardian-1.html',
  'rd_wikipedia.html',
  'rd_nytimes-2.html',
  'rd_cnn.html',
  'rd_quanta-1.html',
  'rd_aclu.html',
  'rd_v8-blog.html',
  'rd_engadget.html',
  'rd_royal-road.html',
];

const REAL = inject('isLong') ? TEN : TEN.slice(0, 3);

it.skipIf(PAGES.isMissing)(
  `reads the title of ${REAL.length} real pages by one click each`,
  { meta: PAGES.meta },
  async () => {
    const page = await dashboard.open({ client: await dashboard.system.client() });
    const missing: string[] = [];
    for (const name of REAL) {
      await openHtml(page, dashboard.system.baseUrl, readFileSync(join(PAGES.path, name), 'utf8'));
      const heading = page.frameLocator('iframe[title^="The page"]').locator('h1').first();
      if ((await heading.count()) === 0) {
        missing.push(name);
        continue;
      }
      const text = ((await heading.textContent()) ?? '').trim().replaceAll(/\s+/g, ' ');
      await clickInPage(page, 'h1');
      await page
        .getByRole('region', { name: 'Values' })
        .getByText(text.slice(0, 20))
        .first()
        .waitFor()
        .catch(() => missing.push(name));
    }
    expect(missing).toEqual([]);
  },
);
