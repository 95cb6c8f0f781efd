import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { findFaults, findWide } from './find-faults.ts';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';

/** `GLEANER_SCREENSHOTS=folder`: a picture of each view. */
const SCREENSHOTS = process.env.GLEANER_SCREENSHOTS;

interface Kettle {
  sku: string;
  name: string;
  price: number;
  visitors: number;
}

/** One page that lists kettles, as they are now. */
async function startKettles(kettles: Kettle[]) {
  const server = createServer((_request, response) => {
    const items = kettles.map(
      ({ sku, name, price, visitors }) =>
        `<li><b>${sku}</b><h2>${name}</h2><i>${price}</i><u>${visitors}</u></li>`,
    );
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<ul>${items.join('')}</ul>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kettles`,
    close: () => server.close(),
  };
}

const SCHEMA = {
  fields: {
    items: {
      css: 'li',
      take: 'all',
      fields: {
        sku: 'b',
        name: 'h2',
        price: { css: 'i', type: 'number' },
        visitors: { css: 'u', type: 'number' },
      },
    },
  },
};

let dashboard: Dashboard;
let shop: Awaited<ReturnType<typeof startKettles>>;
const kettles: Kettle[] = Array.from({ length: 30 }, (_, n) => ({
  sku: `K-${n + 1}`,
  name: `Kettle ${n + 1}`,
  price: 20 + n,
  visitors: n,
}));

beforeAll(async () => {
  [dashboard, shop] = await Promise.all([startDashboard(), startKettles(kettles)]);
});
afterAll(async () => {
  await dashboard.close();
  shop.close();
});

async function create(client: Client, path: string, body: unknown): Promise<string> {
  const { json, status, text } = await client.call('POST', path, body);
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return (json as { id: string }).id;
}

/** A table that a run filled, and what runs over the same page again. */
async function fillTable(client: Client) {
  const parserId = await create(client, '/v1/parsers', { name: 'kettles', schema: SCHEMA });
  const database = await create(client, '/v1/databases', { name: 'shop', kind: 'managed' });
  const sink = { mode: 'database', database, table: 'kettles', rows: 'items', key: ['sku'] };
  const run = async (): Promise<void> => {
    const body = { name: 'kettles', target: { type: 'parser', parserId }, sink, urls: [shop.url] };
    const batch = await create(client, '/v1/batches', body);
    await until('the batch ends', async () => {
      const { json } = await client.call('GET', `/v1/batches/${batch}`);
      return /succeeded|failed/.test((json as { status: string }).status);
    });
  };
  await run();
  return { path: `/databases/${database}/kettles`, run };
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined || SCREENSHOTS === '') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [view, width, height] of [
    ['wide', 1440, 900],
    ['narrow', 375, 812],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${view}-${colorScheme}.png`) });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function check(page: Page, name: string): Promise<void> {
  await shoot(page, name);
  expect(await findFaults(page), name).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await findFaults(page, ['color-contrast']), `${name}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => findWide(page), { message: name }).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
}

it('keeps the changes of a table from a button, and shows old values beside new ones', async () => {
  const client = await dashboard.system.client();
  const { path, run } = await fillTable(client);
  const page = await dashboard.open({ client, path });
  await page.getByText('Changes', { exact: true }).click();
  await page.getByText('keeps no changes yet').waitFor();
  await check(page, 'changes-none');
  await page.getByRole('button', { name: 'Keep changes' }).click();
  await page.getByRole('checkbox', { name: 'visitors', exact: true }).check();
  await check(page, 'changes-dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep changes' }).click();
  await page.getByText('Nothing has changed yet').waitFor();
  await check(page, 'changes-empty');

  for (const kettle of kettles) kettle.visitors += 1;
  const [first] = kettles;
  if (first) [first.price, first.name] = [18.5, 'Kettle <b>1</b>, now with a longer name than before'];
  kettles.push({ sku: 'K-99', name: 'Red kettle', price: 9, visitors: 1 });
  await run();
  if (first) first.price = 17;
  await run();

  const table = page.getByRole('table', { name: 'Changes', exact: true });
  await page.reload();
  const rows = table.getByRole('row');
  await expect.poll(() => rows.count()).toBe(4);
  // Newest first.
  expect(await rows.nth(1).textContent()).toMatch(/changedK-1price 18.5 → 17/);
  await check(page, 'changes');
  await page.getByRole('combobox', { name: 'Kind', exact: true }).click();
  await page.getByRole('option', { name: 'New', exact: true }).click();
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).search).toContain('kinds=new');
  await page.goto(page.url().replace('&kinds=new', ''));

  await table.getByText('17', { exact: true }).click();
  const prices = page.getByRole('dialog').getByRole('region', { name: 'price', exact: true });
  const values = prices.locator('tbody tr td:first-child');
  await expect.poll(() => values.allTextContents()).toEqual(['17', '18.5', '20']);
  await check(page, 'changes-row');
});

it('watches a page by one form, and shows how its text changed', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client, path: '/watch' });
  await page.getByRole('textbox', { name: 'Address of the page' }).fill(shop.url);
  await page.getByRole('button', { name: /^Look at it now/ }).click();
  await page.getByRole('region', { name: 'Now' }).getByText('Kettle 7', { exact: false }).waitFor();
  // No mail server is set.
  await page.getByRole('combobox', { name: 'Send it to' }).click();
  const channels = page.getByRole('listbox', { name: 'Send it to' }).getByRole('option');
  await expect.poll(() => channels.allTextContents()).toEqual(['Slack', 'Discord', 'ntfy', 'Your server']);
  await page.getByRole('option', { name: 'ntfy', exact: true }).click();
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill('https://ntfy.example/kettles');
  await check(page, 'watch');
  await page.getByRole('button', { name: 'Watch it' }).click();
  await page.waitForURL(/\/collections\/crn_/);
  const cron = /crn_\w+/.exec(page.url())?.[0] ?? '';
  const ended = (runs: number) =>
    until('the page was read', async () => {
      const { json } = await client.call('GET', `/v1/crons/${cron}/runs`);
      const states = (json as { runs: { run: { status: string } | null }[] }).runs.map(
        ({ run }) => run?.status,
      );
      return states.filter((state) => state === 'succeeded').length === runs;
    });
  await ended(1);
  const { json } = await client.call('GET', '/v1/alerts');
  expect(json).toMatchObject({
    alerts: [{ events: ['rows.changed'], filter: { kinds: ['changed', 'removed', 'returned'] } }],
  });
  const seventh = kettles[6];
  if (seventh) seventh.name = 'Kettle seven';
  await client.call('POST', `/v1/crons/${cron}/trigger`);
  await ended(2);
  await page.reload();
  await page.getByText('What changed', { exact: true }).click();
  const changes = page.getByRole('table', { name: 'Changes', exact: true });
  await changes.getByText('Kettle seven').click();
  const difference = page.getByRole('region', { name: 'What changed in watched' });
  await difference.getByText('Kettle seven').waitFor();
  const parts = page.getByRole('dialog').getByRole('region');
  expect(await parts.first().getAttribute('aria-label')).toBe('What changed in watched');
  await check(page, 'watch-changed');
});

it('asks before most rows of a table are removed', async () => {
  const client = await dashboard.system.client();
  const parserId = await create(client, '/v1/parsers', { name: 'kettles', schema: SCHEMA });
  const database = await create(client, '/v1/databases', { name: 'shop', kind: 'managed' });
  const sink = { mode: 'database', database, table: 'kettles', rows: 'items', key: ['sku'], history: true };
  const cron = await create(client, '/v1/crons', {
    name: 'kettles',
    description: '',
    schedule: '0 0 1 1 *',
    url: shop.url,
    target: { type: 'parser', parserId },
    sink: { ...sink, missing: 'mark' },
  });
  const publicationOf = async (run: string): Promise<string> =>
    ((await client.call('GET', `/v1/batches/${run}`)).json as { publication: string }).publication;
  const trigger = async (): Promise<string> => {
    const { json } = await client.call('POST', `/v1/crons/${cron}/trigger`);
    const { run_id: run } = json as { run_id: string };
    await until('the run ends', async () => {
      const { json: batch } = await client.call('GET', `/v1/batches/${run}`);
      return (batch as { status: string }).status === 'succeeded';
    });
    return run;
  };
  await trigger();
  const gone = kettles.splice(2).length;
  const run = await trigger();
  await until('its removals wait', async () => (await publicationOf(run)) === 'held');

  const page = await dashboard.open({ client, path: `/crons/${cron}` });
  await page.getByText('removals wait').first().waitFor();
  await page.goto(new URL(`/runs/batches/${run}`, page.url()).href);
  const notice = page.getByRole('region', { name: 'Removals that wait' });
  await notice.getByText(`${gone} of ${gone + 2} in`).waitFor();
  await check(page, 'held-removals');
  await notice.getByRole('button', { name: `Remove ${gone}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove rows' }).click();
  await page.getByText('give no more are being removed').waitFor();
  await until('they are removed', async () => (await publicationOf(run)) === 'published');
  await page.reload();
  await page.getByText('give no more were removed').waitFor();
  await page.goto(new URL(`/crons/${cron}/edit`, page.url()).href);
  const rule = page.getByRole('combobox', { name: 'Rows that their pages give no more' });
  await expect.poll(() => rule.inputValue()).toBe('Mark them as gone');
  await check(page, 'history-fields');
});
