import { startTestSite, sendPage, type TestSite } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

let dashboard: Dashboard;
let site: TestSite;
let client: Client;
let first: string;
let database: string;

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { status, json, text } = await client.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return json as T;
}

beforeAll(async () => {
  site = await startTestSite(({ url }, response) => {
    if (url.startsWith('/p/')) sendPage(response, `<h1>Kettle ${url}</h1>`);
    else response.writeHead(404).end();
  });
  dashboard = await startDashboard();
  client = await dashboard.system.client({ credits: 1_000 });
  const { id: parserId } = await call<{ id: string }>('POST', '/v1/parsers', {
    name: 'kettle',
    schema: { fields: { title: 'h1' } },
  });
  ({ id: database } = await call<{ id: string }>('POST', '/v1/databases', {
    name: 'shop',
    kind: 'managed',
  }));
  const run = async (name: string, paths: string[]): Promise<string> => {
    const { id } = await call<{ id: string }>('POST', '/v1/batches', {
      name,
      target: { type: 'parser', parserId },
      sink: { mode: 'database', database, table: 'kettles' },
      urls: paths.map((path) => `${site.origin}${path}`),
      scrape_config: { retries: 0 },
      keep_pages: 'all',
    });
    await until(
      'the batch ends',
      async () => (await call<{ status: string }>('GET', `/v1/batches/${id}`)).status === 'succeeded',
      60_000,
    );
    return id;
  };
  first = await run('Monday', ['/p/1', '/p/2', '/p/3', '/gone']);
  await run('Tuesday', ['/p/3']);
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
});

it('a run with failures is not simply green, and filters tell it from those that succeeded', async () => {
  const page = await dashboard.open({ client, path: '/runs?utm_source=mail' });
  const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
  const monday = rows.filter({ hasText: 'Monday' });
  await monday.getByText('with failures', { exact: true }).waitFor();
  const filter = async (option: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'State', exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await filter('Succeeded');
  await rows.filter({ hasText: 'Tuesday' }).waitFor();
  await expect.poll(() => monday.count()).toBe(0);
  await filter('With failures');
  await monday.waitFor();
  await expect.poll(() => rows.filter({ hasText: 'Tuesday' }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Table', exact: true }).fill('bottles');
  await page.keyboard.press('Enter');
  await page.getByText('No runs match').waitFor();
});

it('a run shows its rows that are in the table now, and its failures by cause with a retry', async () => {
  const page = await dashboard.open({ client, path: `/runs/batches/${first}` });
  await page.getByText('succeeded, 1 failed').waitFor();
  const rows = page.getByRole('region', { name: 'Rows', exact: true });
  await rows.getByText('Kettle /p/1').waitFor();
  expect(await rows.getByRole('row').count()).toBe(3);
  await page.getByText('1 page was written again later').waitFor();
  await page.getByText('Failures 1').click();
  await page.getByText('Fetch failed · 1 page').waitFor();
  await page.getByRole('button', { name: 'Retry it' }).click();
  await expect.poll(() => site.requests.filter(({ url }) => url === '/gone').length).toBe(2);
});

it('the page of credits shows the sum of the service', async () => {
  const page = await dashboard.open({ client, path: '/credits' });
  await page.getByText(/^4 credits used in the last 14 days/).waitFor();
  const use = page.getByRole('region', { name: 'Use', exact: true }).last();
  await use.getByText(new URL(site.origin).host).waitFor();
  await page.getByText('By parser').click();
  await use.getByText('kettle', { exact: true }).waitFor();
  expect(await use.getByRole('row').count()).toBe(2);
});

it('opens a row with all its fields and its page as fetched, by a click or by Enter; columns are chosen', async () => {
  const page = await dashboard.open({ client, path: `/databases/${database}/kettles` });
  const table = page.getByRole('table', { name: 'Rows', exact: true });
  const drawer = page.getByRole('dialog');
  const kept = drawer.frameLocator('iframe[title="The page as fetched"]');
  await table.getByText('Kettle /p/1', { exact: true }).click();
  await drawer.getByText(first, { exact: true }).waitFor();
  await kept.getByText('Kettle /p/1').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  // The row after the one that was opened has the focus.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-index'))).toBe('1');
  await page.keyboard.press('Enter');
  await kept.getByText('Kettle /p/2').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'title', exact: true }).click();
  await table.getByText('Kettle /p/1', { exact: true }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('hidden')).toBe('["title"]');
});

it('signs in by a link without a sight of the form', async () => {
  const page = await dashboard.open();
  const asked = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  await page.route('**/session', async (route) => {
    if (route.request().method() === 'POST') {
      asked.resolve();
      await looked.promise;
    }
    await route.continue();
  });
  await page.goto(await dashboard.signInUrl(client));
  await asked.promise;
  await page.getByText('Signing in …').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  looked.resolve();
  await page.getByRole('heading', { name: 'Today', exact: true }).waitFor();
});
