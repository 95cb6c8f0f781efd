import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';
import { clickInPage, openHtml, pageShown } from './studio-actions.ts';

let dashboard: Dashboard;
let site: Server;
let origin: string;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A grey picture of one pixel's width. */
function tallPicture(height: number): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  head.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc(height * 2, Buffer.from([0, 128])));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const FILES: Record<string, { type: string; body: string | Buffer }> = {
  '/pictures': {
    type: 'text/html',
    body: `<h1>Lamps</h1><img src="/tall.png"><br><img src="/tall.png"><p class="last">The last lamp</p>`,
  },
  '/api': {
    type: 'application/json',
    body: JSON.stringify({ total: 2, items: [{ name: 'Blue <b>lamp</b>' }, { name: 'Red' }] }),
  },
  '/tall.png': { type: 'image/png', body: tallPicture(1_500) },
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

/** Opens a page of the site in the studio. */
async function openSitePage(page: Page, path: string): Promise<void> {
  const open = encodeURIComponent(`${origin}${path}`);
  await page.goto(`${dashboard.system.baseUrl}/parsers/new?open=${open}`);
  await page.getByRole('button', { name: /^Open for/ }).click();
  await pageShown(page);
}

it('shows what lies under images without a size, and reads it by a click', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openSitePage(page, '/pictures');
  const frame = page.locator('iframe[title^="The page"]');
  await expect
    .poll(() => frame.evaluate((element: HTMLElement) => element.offsetHeight))
    .toBeGreaterThan(3_000);
  await clickInPage(page, '.last');
  await page.getByRole('region', { name: 'Values' }).getByText('The last lamp').waitFor();
});

it('shows a page that is JSON as a tree to click, with suggestions', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  const open = encodeURIComponent(`${origin}/api`);
  await page.goto(`${dashboard.system.baseUrl}/parsers/new?open=${open}`);
  await page.getByRole('button', { name: /^Open for/ }).click();
  await page.getByRole('heading', { name: 'The page itself' }).waitFor();
  await page.getByRole('region', { name: 'Suggested fields' }).getByText('items[]').waitFor();
  await page.getByRole('button', { name: 'Open 0' }).click();
  await page.getByRole('button', { name: /^name/ }).click();
  await page.getByRole('region', { name: 'Values' }).getByText('Blue <b>lamp</b>').waitFor();
  expect(await page.getByRole('application', { name: /^Page/ }).isVisible()).toBe(false);
});

function frameOf(page: Page) {
  return page.frameLocator('iframe[title^="The page"]');
}

it('begins a new parser empty, with its own suggestions, and offers the one that was begun by name', async () => {
  const page = await dashboard.open({
    client: await dashboard.system.client(),
    path: '/parsers/new?example=article',
  });
  await clickInPage(page, 'h1');
  await page.getByRole('button', { name: /^headline/ }).waitFor();
  await page.goto(`${dashboard.system.baseUrl}/parsers/new`);
  const begun = page.getByRole('region', { name: 'Not saved yet' });
  await begun.getByText('1 field, 1 page').waitFor();
  expect(await page.getByRole('button', { name: /^headline/ }).count()).toBe(0);
  await page.getByRole('button', { name: /^A shop/ }).click();
  await page.getByRole('region', { name: 'Suggested fields' }).getByText('items[]').waitFor();
  await page.getByRole('button', { name: 'Start another' }).click();
  await begun.getByRole('link', { name: /What is left after the harvest/ }).click();
  await page.getByRole('button', { name: /^headline/ }).waitFor();
  expect(await page.getByRole('option', { name: /mugs/ }).count()).toBe(0);
});

const LIST_PAGE = `<title>Kettles</title><h1>All kettles</h1><p class="about">Two of them</p><p class="other">Other text</p>
<ul><li><b>Blue</b> <i>12</i></li><li><b>Red</b> <i>9</i></li><li><b>Old</b></li></ul>`;
const LIST_SCHEMA = {
  fields: {
    title: 'h1',
    about: '.about',
    kettles: { css: 'li', take: 'all', fields: { name: 'b', price: { css: 'i', type: 'number' } } },
  },
};

async function openParser(
  page: Page,
  client: Awaited<ReturnType<Dashboard['system']['client']>>,
): Promise<string> {
  const { json } = await client.call('POST', '/v1/parsers', { name: 'kettles', schema: LIST_SCHEMA });
  const { id } = json as { id: string };
  await page.goto(`${dashboard.system.baseUrl}/parsers/${id}`);
  return id;
}

it('shows the fields of a saved parser without any page, and its pages in every browser', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  const id = await openParser(page, client);
  await page.getByRole('button', { name: /^kettles/ }).waitFor();
  await openHtml(page, dashboard.system.baseUrl, LIST_PAGE, `/parsers/${id}`);
  await clickInPage(page, '.other');
  await page.getByRole('button', { name: 'Save v2' }).click();
  await page.getByText('v2', { exact: true }).waitFor();
  const samples = async () =>
    ((await client.call('GET', `/v1/parsers/${id}/samples`)).json as { samples: unknown[] }).samples;
  await expect.poll(async () => (await samples()).length).toBe(1);

  const elsewhere = await dashboard.open({ client, path: `/parsers/${id}` });
  await elsewhere.getByRole('region', { name: 'Values' }).getByText('Other text').waitFor();
  expect(await frameOf(elsewhere).locator('h1').textContent()).toBe('All kettles');
});

it('says that another version was saved meanwhile, and lets a person choose', async () => {
  const client = await dashboard.system.client();
  const [one, other] = [await dashboard.open({ client }), await dashboard.open({ client })];
  const id = await openParser(one, client);
  await openHtml(one, dashboard.system.baseUrl, LIST_PAGE, `/parsers/${id}`);
  await openHtml(other, dashboard.system.baseUrl, LIST_PAGE, `/parsers/${id}`);
  await clickInPage(one, '.other');
  await one.getByRole('button', { name: 'Save v2' }).click();
  await one.getByText('v2', { exact: true }).waitFor();
  // The one that saved last goes on.
  await clickInPage(one, 'li b', 1);
  await one.getByRole('button', { name: 'Save v3' }).click();
  await one.getByText('v3', { exact: true }).waitFor();

  await clickInPage(other, 'li i', 1);
  await other.getByRole('button', { name: 'Save v2' }).click();
  const told = other.getByRole('alert').filter({ hasText: 'v3 was saved meanwhile' });
  await told.getByRole('button', { name: 'Show v3 instead of mine' }).click();
  await other.getByRole('button', { name: /^other/ }).waitFor();
  const versionOf = async (): Promise<unknown> => (await client.call('GET', `/v1/parsers/${id}`)).json;
  expect(await versionOf()).toMatchObject({ version: 3 });
  await other.getByRole('button', { name: 'Undo' }).click();
  await other.getByRole('button', { name: 'Save v4' }).click();
  await other.getByText('v4', { exact: true }).waitFor();
  await clickInPage(one, 'li b', 2);
  await one.getByRole('button', { name: 'Save v4' }).click();
  await one.getByRole('button', { name: 'Save mine over it' }).click();
  await one.getByText('v5', { exact: true }).waitFor();
});

it('shows single values first and each list below, in panes and at a zoom that a person chose', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  const id = await openParser(page, client);
  await openHtml(page, dashboard.system.baseUrl, LIST_PAGE, `/parsers/${id}`);
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByRole('table', { name: 'Single values' }).getByText('All kettles').waitFor();
  await values.getByRole('table', { name: 'kettles' }).getByText('Red').waitFor();
  const top = async (text: string): Promise<number> => (await values.getByText(text).boundingBox())?.y ?? 0;
  expect(await top('Two of them')).toBeLessThan(await top('Red'));

  const result = page.getByRole('region', { name: 'Result', exact: true });
  const widthOf = async (): Promise<number> => (await result.boundingBox())?.width ?? 0;
  const before = await widthOf();
  await page.getByRole('separator', { name: 'Width of the result' }).focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft');
  await expect.poll(widthOf).toBeGreaterThan(before + 20);
  await page.getByRole('combobox', { name: 'Zoom of the page' }).selectOption('100 %');
  const frame = page.locator('iframe[title^="The page"]');
  await expect.poll(async () => (await frame.boundingBox())?.width).toBeGreaterThanOrEqual(960);
  const dragged = await widthOf();
  await page.reload();
  await pageShown(page);
  expect(await widthOf()).toBeCloseTo(dragged, 0);
  await expect.poll(async () => (await frame.boundingBox())?.width).toBeGreaterThanOrEqual(960);
});

it('outlines what a typed selector finds, and undoes and redoes the typing as one edit', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  const id = await openParser(page, client);
  await openHtml(page, dashboard.system.baseUrl, LIST_PAGE, `/parsers/${id}?field=about`);
  const source = page.getByRole('textbox', { name: 'Source', exact: true });
  await source.fill('.');
  await source.pressSequentially('other');
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByText('Other text').waitFor();
  const other = await frameOf(page).locator('.other').boundingBox();
  const outline = page.getByRole('application').locator('[class*="match"]').first();
  await expect
    .poll(async () => Math.round((await outline.boundingBox())?.y ?? 0))
    .toBe(Math.round(other?.y ?? -1));
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await source.inputValue()).toBe('.');
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await source.inputValue()).toBe('.about');
  for (const _ of ['.', '.other']) await page.getByRole('button', { name: 'Redo' }).click();
  expect(await source.inputValue()).toBe('.other');

  for (let round = 0; round < 10; round += 1) {
    await source.fill('.');
    await source.pressSequentially('about');
    expect(await source.inputValue()).toBe('.about');
  }

  await page.getByRole('button', { name: 'From an example' }).click();
  await page.getByRole('textbox', { name: 'A value on this page' }).fill('nowhere to be seen');
  await page.getByRole('button', { name: 'Find it' }).click();
  await page.getByText('The example was not found on its page.').waitFor();
  expect(await page.getByText(/error in the dashboard/i).count()).toBe(0);
});
