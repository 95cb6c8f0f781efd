import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestSite, sendPage, type TestSite } from '@gleaner/fetching/testing';
import { findFaults, findWide } from './find-faults.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';
import { clickInPage } from './studio-actions.ts';
import type { Client } from '../system/start-system.ts';

let dashboard: Dashboard;
let site: TestSite;
let client: Client;

const LINKS = ['/about', '/p/1', '/p/2', '/p/3', '/p/missing'].map((path) => `<a href="${path}">${path}</a>`);

beforeAll(async () => {
  site = await startTestSite(({ url }, response) => {
    if (url === '/') sendPage(response, `<h1>Shop</h1>${LINKS.join('')}`);
    else if (url === '/about') sendPage(response, `<h1>${url}</h1>`);
    else if (/^\/p\/\d$/.test(url))
      sendPage(response, `<h1>${url}</h1><p class="price">${url.slice(3)}.50 €</p>`);
    else response.writeHead(404).end();
  });
  dashboard = await startDashboard();
  client = await dashboard.system.client({ credits: 1_000 });
  const parser = { name: 'product', schema: { fields: { title: 'h1' } } };
  expect((await client.call('POST', '/v1/parsers', parser)).status).toBe(201);
  const database = { name: 'shop', kind: 'managed' };
  expect((await client.call('POST', '/v1/databases', database)).status).toBe(201);
});

afterAll(async () => {
  await dashboard.close();
  await site.close();
});

it('crawls a site from one address: maps it, makes a parser for a kind of page, and shows what became of each', async () => {
  const page = await dashboard.open({ client, path: '/crawls' });
  await page.getByRole('button', { name: 'New crawl' }).first().click();
  await page.getByLabel('Where to begin').fill(`${site.origin}/`);
  await page.locator('summary', { hasText: 'Which pages' }).click();
  // A refusal is shown at its field.
  const excluded = page.getByLabel('Never addresses such as');
  await excluded.fill('/private/*\nprivate');
  await page.getByRole('button', { name: 'Map the site for at most 100 credits' }).click();
  await page.getByText(/^line 2: must start with \//).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await excluded.fill('/private/*');
  await page.getByRole('button', { name: /^Map the site/ }).click();

  const products = page.getByRole('row').filter({ hasText: '/p/*' });
  await products.getByText('4', { exact: true }).first().waitFor();
  await page.getByRole('combobox', { name: 'Parser of /about' }).click();
  await page.getByRole('option', { name: 'product', exact: true }).click();
  await products.getByRole('link', { name: 'Make one for /p/*' }).click();
  await page.getByRole('button', { name: 'Open for 1 credit' }).click();
  await clickInPage(page, 'h1');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Use it in the crawl' }).click();
  const chosen = page.getByRole('combobox', { name: 'Parser of /p/*' });
  await expect.poll(() => chosen.inputValue()).toBe('127.0.0.1');
  const route = page.getByRole('group', { name: 'Route p' });
  await route.getByRole('combobox', { name: 'Results go to' }).click();
  await page.getByRole('option', { name: 'database shop' }).click();
  await route.getByRole('textbox', { name: 'Table', exact: true }).fill('products');
  await page.getByRole('button', { name: /^Crawl for at most/ }).click();

  await page.getByText('succeeded, 1 failed').waitFor();
  await page.getByText('p: 3').waitFor();
  await expect
    .poll(async () => (await products.getByRole('cell').allTextContents()).slice(0, 4))
    .toEqual(['/p/*', '4', '3', '1']);
  await page.getByRole('combobox', { name: 'Outcome', exact: true }).click();
  await page.getByRole('option', { name: 'Failed', exact: true }).click();
  const addresses = page.getByRole('table', { name: 'Addresses' });
  await addresses.getByText('/p/missing').waitFor();
  await expect.poll(() => addresses.getByRole('link').count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('failed');
  await page.getByRole('button', { name: 'Export data' }).click();
  const href = await page.getByRole('menuitem', { name: /NDJSON/ }).getAttribute('href');
  const { text } = await client.call('GET', href ?? '');
  expect(text.trim().split('\n')).toHaveLength(1);
});

it('makes a collection of a kind of pages in two clicks, of pages that the map kept', async () => {
  const map = { start: [`${site.origin}/`], keep_pages: 'all' };
  const { json } = await client.call('POST', '/v1/crawls/map', map);
  const { id } = json as { id: string };
  const page = await dashboard.open({ client, path: `/crawls/${id}` });
  await page.getByText('succeeded, 1 failed').waitFor();
  const isKept = async (): Promise<boolean> => {
    const { json: list } = await client.call('GET', `/v1/pages?run=${id}`);
    return (list as { pages: unknown[] }).pages.length === 5;
  };
  await expect.poll(isKept).toBe(true);
  const asked = site.requests.length;
  await page.getByRole('button', { name: 'Make a collection of /p/*' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('cell', { name: '/p/1' }).waitFor();
  // A price is a number, as in the studio.
  await dialog.getByRole('cell', { name: '1.5', exact: true }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => findWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByText(/^It reads the 3 pages of this kind/).waitFor();
  await dialog.getByRole('button', { name: 'Make the collection' }).click();
  await page.waitForURL(/\/collections\/crn_/);
  await page.getByRole('table').getByText('/p/3').first().waitFor();
  expect(site.requests).toHaveLength(asked);
  const { json: cron } = await client.call('GET', `/v1/crons/${page.url().match(/crn_\w+/)?.[0]}`);
  expect(cron).toMatchObject({
    inputs: ['/p/1', '/p/2', '/p/3'].map((path) => site.origin + path),
    schedule: '0 8 * * *',
    sink: { mode: 'database', key: ['_url'], history: true },
  });
});
