import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

let dashboard: Dashboard;
let site: Site;

beforeAll(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startSite()]);
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
});

it('makes a cron by a form that says when it fires, triggers it, pauses it and shows its run', async () => {
  const client = await dashboard.system.client();
  const parser = await client.call('POST', '/v1/parsers', {
    name: 'kettles',
    schema: { fields: { title: 'h1' } },
  });
  await client.call('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
  const page = await dashboard.open({
    client,
    path: `/crons/new?parser=${(parser.json as { id: string }).id}`,
  });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kettles at night');
  await page.getByText('Cron syntax').click();
  await page.getByRole('textbox', { name: 'Schedule', exact: true }).fill('30 2 * * MON-FRI');
  await page.getByText(/At 02:30, Monday through Friday/).waitFor();
  const firings = page.getByRole('list', { name: 'Next firings', exact: true }).getByRole('listitem');
  await expect.poll(() => firings.first().textContent()).toContain('02:30');
  expect(await firings.count()).toBe(10);

  // A fault is said where it is.
  await page.getByRole('textbox', { name: 'Schedule', exact: true }).fill('30 2 30 2 *');
  await page.getByText(/never fires/).waitFor();
  // Not due by itself while the test runs.
  await page.getByRole('textbox', { name: 'Schedule', exact: true }).fill('0 6 29 2 *');

  await page.getByRole('textbox', { name: /^Pages/ }).fill(`${site.url}/product\n${site.url}/product?2`);
  await page.getByRole('combobox', { name: 'Rows go to', exact: true }).click();
  await page.getByRole('option', { name: 'database shop' }).click();
  await page.getByRole('textbox', { name: 'Table', exact: true }).fill('kettles');
  await page.getByText('Each firing reads 2 pages for at most 2 credits').waitFor();
  // A distance that is refused leaves no other schedule to create, until the schedule changes.
  await page.getByRole('textbox', { name: 'Every', exact: true }).fill('90');
  await page.getByText('Correct the schedule.').waitFor();
  expect(await page.getByRole('button', { name: 'Create cron' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Every day' }).click();
  await page.getByRole('textbox', { name: 'Schedule', exact: true }).fill('0 6 29 2 *');
  await page.getByText('Each firing reads 2 pages for at most 2 credits').waitFor();
  await page.getByRole('button', { name: 'Create cron' }).click();
  await page.waitForURL(/\/crons\/crn_/);
  const collection = await dashboard.open({
    client,
    path: new URL(page.url()).pathname.replace('crons', 'collections'),
  });
  await collection.getByText('The table is not there yet').waitFor();

  await page.getByRole('heading', { name: /At 06:00/ }).waitFor();
  await page.getByRole('button', { name: 'Trigger now' }).click();
  // The rows come to who looks at where they will be.
  await expect.poll(() => collection.getByRole('table', { name: 'Rows' }).getByRole('row').count()).toBe(3);
  await page.getByRole('cell', { name: 'succeeded', exact: true }).waitFor();
  await page.getByRole('img', { name: /The last 13 weeks: 1 started/ }).waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused: it fires only when you trigger it.').waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await page.waitForURL(/\/runs\/batches\/bat_/);
  await page.getByText('2 of 2').waitFor();
});

it('says what a backfill costs before it runs, and refuses times before the cron was made', async () => {
  // Far from the current minute: it fires 24 times in each day's window, whenever the test runs.
  const minute = (new Date().getUTCMinutes() + 30) % 60;
  const client = await dashboard.system.client();
  const parser = await client.call('POST', '/v1/parsers', {
    name: 'kettles',
    schema: { fields: { title: 'h1' } },
  });
  const database = await client.call('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
  const cron = await client.call('POST', '/v1/crons', {
    name: 'hourly',
    description: '',
    schedule: `${minute} * * * *`,
    target: { type: 'parser', parserId: (parser.json as { id: string }).id },
    url: `${site.url}/product`,
    sink: { mode: 'database', database: (database.json as { id: string }).id, table: 'kettles' },
  });
  const page = await dashboard.open({ client, path: `/crons/${(cron.json as { id: string }).id}` });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Backfill', exact: true }).click();
  await page.getByText('Nothing to run: every firing in this period has run.').waitFor();
  await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00');
  const refusal = page.getByText(/the cron was made at/).first();
  await refusal.waitFor();
  expect(await refusal.textContent()).toContain((cron.json as { created_at: string }).created_at);
});

it('repeats a finished batch on a schedule, into a database that is made on the way', async () => {
  const client = await dashboard.system.client();
  const parser = await client.call('POST', '/v1/parsers', {
    name: 'kettles',
    schema: { fields: { title: 'h1' } },
  });
  const urls = [`${site.url}/product`, `${site.url}/product?2`, `${site.url}/missing`];
  const batch = await client.call('POST', '/v1/batches', {
    target: { type: 'parser', parserId: (parser.json as { id: string }).id },
    urls,
  });
  const path = `/v1/batches/${(batch.json as { id: string }).id}`;
  await expect
    .poll(async () => ((await client.call('GET', path)).json as { finished_at: string | null }).finished_at)
    .not.toBeNull();
  const page = await dashboard.open({ client, path: path.replace('/v1', '/runs') });
  await page.getByRole('link', { name: 'Run it on a schedule' }).click();
  const pages = page.getByRole('textbox', { name: /^Pages/ });
  await expect.poll(async () => (await pages.inputValue()).split('\n').toSorted()).toEqual(urls.toSorted());
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Again at six');
  await page.getByText('Cron syntax').click();
  await page.getByRole('textbox', { name: 'Schedule', exact: true }).fill('0 6 * * *');
  await page.getByRole('combobox', { name: 'Rows go to', exact: true }).click();
  await page.getByRole('option', { name: 'New database …' }).click();
  const dialog = page.getByRole('dialog', { name: 'New database' });
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('shop');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('textbox', { name: 'Table', exact: true }).fill('kettles');
  await page.getByRole('button', { name: 'Create cron' }).click();
  await page.waitForURL(/\/crons\/crn_/);
  await page.getByRole('heading', { name: /At 06:00/ }).waitFor();
  const crons = await client.call('GET', '/v1/crons');
  expect((crons.json as { crons: { sink: { table: string } }[] }).crons).toMatchObject([
    { name: 'Again at six', sink: { table: 'kettles' } },
  ]);
});
