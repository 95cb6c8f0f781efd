import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { findFaults, findWide } from './find-faults.ts';
import { makeLifecycleData, type LifecycleData } from './lifecycle-data.ts';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';
import { makeTodayData, type TodayData } from './today-data.ts';

/** What a person sees on the first page, and on the page of a collection, without reading any other. */

/** `GLEANER_SCREENSHOTS=folder`: pictures in light, dark and narrow. */
const SCREENSHOTS = process.env.GLEANER_SCREENSHOTS;

let dashboard: Dashboard;
let site: Site;
let client: Client;
let data: TodayData;
let lifecycle: LifecycleData;

beforeAll(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startSite()]);
  client = await dashboard.system.client({ credits: 90_000 });
  lifecycle = await makeLifecycleData(client);
  data = await makeTodayData(dashboard, client, site);
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
  await lifecycle.shop.close();
});

/** Looks at a page in light, dark and narrow: nothing serious, nothing wider than the screen. */
async function look(page: Page, name: string): Promise<void> {
  await page.locator('.loading-lines').first().waitFor({ state: 'detached' });
  for (const [view, scheme, width] of [
    ['light', 'light', 1440],
    ['dark', 'dark', 1440],
    ['narrow', 'light', 375],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: width === 375 ? 1600 : 1100 });
    if (view !== 'narrow') expect(await findFaults(page), `${name}, ${view}`).toEqual([]);
    else await expect.poll(() => findWide(page), { message: name }).toEqual([]);
    if (SCREENSHOTS === undefined || SCREENSHOTS === '') continue;
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${view}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}

it('says what failed and why, what needs you, what it cost and what runs next', async () => {
  const page = await dashboard.open({ client });
  const needs = page.getByRole('region', { name: 'Needs you', exact: true });
  await needs.getByText('kettle shop no longer reads what it did').waitFor();
  await needs.getByText('12 rows wait for you to write or drop them').waitFor();
  const gone = needs.getByRole('listitem').filter({ hasText: 'Fetch failed: 2 pages' });
  await gone.getByRole('link', { name: 'Kettle prices, every morning' }).waitFor();
  // A page that is gone is not offered again.
  await needs.getByText(/status 404\. The site has no page at this address/).waitFor();
  expect(await needs.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  await page.getByRole('img', { name: /^Pages an hour in 24 hours: .* failed$/ }).waitFor();
  const next = page.getByRole('region', { name: 'Next', exact: true });
  await next.getByRole('link').first().waitFor();
  expect(await next.getByRole('link').allInnerTexts()).toEqual([
    'Stock, every hour',
    'Kettle prices, every morning',
  ]);
  await page
    .getByRole('region', { name: 'Credits', exact: true })
    .getByText(/the balance lasts about \d+ days/)
    .waitFor();
  const table = page.getByRole('region', { name: 'Collections', exact: true }).getByRole('table');
  const row = table.getByRole('row', { name: /Kettle prices, every morning/ });
  await row
    .getByRole('group', { name: /^The last 30 runs: 24 succeeded, 4 with failures, 2 without a run$/ })
    .waitFor();
  await row.getByRole('link', { name: '12', exact: true }).waitFor();
  await look(page, 'today');

  await page.getByText('30 days', { exact: true }).click();
  await page.getByRole('img', { name: /^Pages a day in 30 days/ }).waitFor();
  expect(page.url()).toContain('period=month');
  await page.getByText('7 days', { exact: true }).click();
  await page.getByRole('img', { name: /^Pages an hour in 7 days/ }).waitFor();
  await look(page, 'today-week');
  await row.getByRole('link', { name: /12 of 14 pages, 2 failed$/ }).click();
  await page.waitForURL(/\/runs\/batches\/bat_/);
  await page.goBack();
  await needs.getByRole('button', { name: 'Decide', exact: true }).click();
  await page.waitForURL(/tab=held/);
});

it('has rows, runs, fields and schedule of a collection on one page', async () => {
  const page = await dashboard.open({ client });
  await page.getByRole('table').getByRole('link', { name: 'Kettle prices, every morning' }).click();
  await page.waitForURL(/\/collections\/crn_/);
  await page.getByRole('table', { name: 'Rows' }).getByText('Blue kettle').first().waitFor();
  await look(page, 'collection-rows');
  await page.getByRole('table', { name: 'Rows' }).getByText('Blue kettle').first().click();
  await page.getByRole('dialog').waitFor();
  // The address names the row.
  await page.waitForURL(/[?&]row=/);
  await page.reload();
  await page.getByRole('dialog').getByText('Blue kettle').first().waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toMatch(/^\/collections\/crn_/);
  await page.getByText('Runs', { exact: true }).last().click();
  await page.getByText(/% of .* pages succeeded; 4 of 28 runs had failures/).waitFor();
  await page.getByRole('img', { name: /^Pages a day in 30 days: .* failed$/ }).waitFor();
  await page.getByRole('region', { name: 'Past firings' }).getByText('with failures').first().waitFor();
  await look(page, 'collection-runs');
  await page.getByText('Pages & fields').click();
  await page.getByRole('link', { name: 'Open in the studio' }).waitFor();
  await page.getByRole('cell', { name: 'price', exact: true }).waitFor();
  await look(page, 'collection-fields');
  await page.getByText('When & where').click();
  await page.getByText(/credits in 30 days/).waitFor();
  await look(page, 'collection-where');
  await page.getByRole('button', { name: 'Turn it off' }).click();
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByRole('button', { name: 'Turn it off' }).waitFor();

  await page.goto(`${dashboard.system.baseUrl}/collections/${data.parser}?tab=runs`);
  await page.getByRole('region', { name: 'Batches' }).getByRole('link', { name: 'by hand' }).waitFor();
  await page.goto(`${dashboard.system.baseUrl}/collections/crn_nothing`);
  await page.getByText('There is no such collection').waitFor();
  expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
});

it('says in one line that all is well, and begins a new account with an address', async () => {
  const calm = await dashboard.system.client();
  await calm.call('POST', '/v1/parsers', { name: 'products', schema: { fields: { title: 'h1' } } });
  const page = await dashboard.open({ client: calm });
  await page.getByText(/^All is well/).waitFor();
  expect(
    await page.getByRole('region', { name: 'Needs you', exact: true }).getByRole('listitem').count(),
  ).toBe(0);
  await look(page, 'today-calm');
  const empty = await dashboard.open({ client: await dashboard.system.client() });
  await empty.getByRole('textbox', { name: 'Address of a page' }).waitFor();
  await empty.getByRole('button', { name: /^A shop/ }).waitFor();
  await look(empty, 'today-empty');
});

it('says what could not be read, and shows the rest', async () => {
  const page = await dashboard.open({ client, path: '/credits' });
  await page.route('**/v1/overview', (route) =>
    route.fulfill({ status: 500, json: { error: 'internal error' } }),
  );
  await page.getByRole('link', { name: 'Today', exact: true }).click();
  const needs = page.getByRole('region', { name: 'Needs you', exact: true });
  await needs.getByText('Gleaner made a mistake').waitFor();
  await page.getByRole('table').getByRole('link', { name: 'Kettle prices, every morning' }).waitFor();
  await look(page, 'today-broken');
  expect(await needs.getByText(/^All is well/).count()).toBe(0);
  await page.unroute('**/v1/overview');
  await needs.getByRole('button', { name: 'Try again', exact: true }).click();
  await needs.getByText('12 rows wait for you to write or drop them').waitFor();
});

it('finds collections, views and values in the palette', async () => {
  const page = await dashboard.open({ client, path: '/credits' });
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  const search = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Pages, parsers, batches, commands').fill(text);
  };
  await search('blue kettle');
  await page.getByRole('button', { name: /^Rows of kettles with “blue kettle”/ }).click();
  await page.getByRole('table', { name: 'Rows' }).getByText('Blue kettle').first().waitFor();
  expect(page.url()).toContain('contains');
  // Enter takes the first line, also when lines came after the text.
  await search('kettles');
  await page.getByRole('button', { name: /^kettles.*Table/ }).waitFor();
  await page.getByRole('button', { name: /^Rows of kettles with “kettles”/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/\/databases\/[^/]+\/kettles$/);
  await search('zzzqqq');
  await page.getByRole('button', { name: /^Rows of kettles with “zzzqqq”/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('zzzqqq');
  await search('with failures');
  await page.getByRole('button', { name: /^Runs with failures/ }).click();
  await page.waitForURL(/status=with_failures/);
  await search('every morning');
  await page.getByRole('button', { name: /^Kettle prices, every morning.*Collection/ }).click();
  await page.waitForURL(new RegExp(`/collections/${data.cron}`));
});

it('opens the pressed line of the palette, though others come above it before the release', async () => {
  const page = await dashboard.open({ client, path: '/credits' });
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  const pressed = Promise.withResolvers<void>();
  await page.route(/\/v1\/crons\?.*search=every/, async (route) => {
    await pressed.promise;
    const response = await route.fetch();
    const { crons, ...answer } = (await response.json()) as { crons: object[] };
    const others = Array.from({ length: 5 }, (_, place) => ({
      id: `crn_${place}`,
      name: `every morning ${place}`,
    }));
    await route.fulfill({ response, json: { ...answer, crons: [...others, ...crons] } });
  });
  await page.keyboard.press('Control+k');
  const line = page.getByRole('button', { name: /^Kettle prices, every morning.*Collection/ });
  await line.waitFor();
  await page.getByPlaceholder('Pages, parsers, batches, commands').fill('every morning');
  await page.getByRole('button', { name: /^Rows of kettles with “every morning”/ }).waitFor();
  await line.hover();
  await page.mouse.down();
  const answered = page.waitForResponse(/\/v1\/crons\?.*search=every/);
  pressed.resolve();
  await (await answered).finished();
  // The page has drawn what it was given.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await page.mouse.up();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/collections/${data.cron}`);
});
