import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { makeLifecycleData, type LifecycleData } from './lifecycle-data.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

let dashboard: Dashboard;
let client: Client;
let data: LifecycleData;

beforeAll(async () => {
  dashboard = await startDashboard();
  client = await dashboard.system.client({ credits: 5_000 });
  data = await makeLifecycleData(client);
});
afterAll(async () => {
  await dashboard.close();
  await data.shop.close();
});

it('leads from a failure to the kept page in the studio, without fetching it again', async () => {
  const page = await dashboard.open({ client, path: `/runs/batches/${data.broken.batch}?tab=failures` });
  await page.getByText('nothing on the page matched').first().waitFor();
  await page.getByRole('link', { name: 'Open a kept page in the studio' }).click();
  const kept = page.getByRole('region', { name: 'Kept pages, table' });
  const hits = data.shop.hits();
  await kept.getByRole('link').first().click();
  await page.getByRole('application').waitFor();
  const frame = page.frameLocator('iframe[title^="The page"]');
  await frame.locator('.product-name').waitFor();
  expect(await frame.locator('.product-name').textContent()).toMatch(/^Kettle /);
  expect(data.shop.hits()).toBe(hits);
});

it('shows held rows beside what they would replace; one is dropped, the others are written', async () => {
  const page = await dashboard.open({ client, path: `/runs/batches/${data.degraded.batch}` });
  await page.getByRole('link', { name: 'Review them' }).click();
  await page.getByText('The parser seems broken, so Gleaner did not write 12 rows.').waitFor();
  // The site is as before: these rows lack values all the same.
  await page.route('**/v1/parsers/*/health', async (route) => {
    const response = await route.fetch();
    const { hosts, ...answer } = (await response.json()) as { hosts: object[] };
    const well = { state: 'healthy', updated_at: new Date().toISOString() };
    await route.fulfill({
      response,
      json: { ...answer, hosts: hosts.map((host) => ({ ...host, ...well })) },
    });
  });
  await page.reload();
  await page.getByText(/It reads well again: drop the rows that lack a value/).waitFor();
  const rows = page.getByRole('region', { name: 'Rows held back, table' }).getByRole('row');
  const fifth = rows.filter({ hasText: '/p/5' });
  await fifth.getByText('would become nothing').first().waitFor();
  expect(await fifth.textContent()).toMatch(/Kettle Alder No\. 105.*would become nothing.*55\.5/);
  await fifth.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Drop 1' }).click();
  await page.getByRole('button', { name: 'Drop rows' }).click();
  await fifth.getByText('dropped').waitFor();
  // The rows come late: the page sees none being written, and has counted them before they were.
  const held = `/v1/batches/${data.degraded.batch}/quarantine`;
  await page.route(`**${held}?*`, async (route) => {
    await until('the rows are written', async () => {
      const { json } = await client.call('GET', `${held}?state=released`);
      return (json as { rows: unknown[] }).rows.length === 11;
    });
    await route.continue();
  });
  await page.getByRole('button', { name: /^Write all 11/ }).click();
  await expect.poll(() => rows.filter({ hasText: 'written' }).count()).toBe(11);
  await page.getByText('No row waits for a decision.').waitFor();
});

it('reads a repair, accepts it and reads the kept pages again', async () => {
  const page = await dashboard.open({ client, path: `/parsers/${data.broken.parser}/health` });
  await page.getByRole('cell', { name: 'no longer filled' }).first().waitFor();
  await page.getByRole('button', { name: 'Learn again', exact: true }).click();
  const question = page.getByRole('dialog');
  expect(await question.textContent()).toContain('forgotten permanently');
  await question.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByRole('button', { name: 'Propose a repair' }).click();
  const proposal = page.getByRole('region', { name: 'Proposed repair' });
  await proposal.getByText('div.product-name', { exact: true }).first().waitFor();
  await proposal.getByText('3 fields found again, 1 not').waitFor();
  const prices = proposal.getByRole('region', { name: 'price on kept pages' });
  expect(await prices.getByRole('cell', { name: /^= / }).count()).toBe(3);
  await proposal.getByRole('button', { name: 'Accept and parse the kept pages again' }).click();
  await page.waitForURL(/\/runs\/batches\/bat_/);
  await page.getByText('34 of 34').waitFor();
});

it('says which field the repair did not find, and drops it', async () => {
  const path = `/parsers/${data.broken.parser}/health`;
  const page = await dashboard.open({ client, path });
  const lost = page.getByRole('region', { name: 'Fields that are not on the page' });
  await lost.getByText('1 field not found any more').waitFor();
  await page.getByRole('cell', { name: /not on the page/ }).waitFor();
  // The version before is no longer repaired.
  expect(await page.getByRole('button', { name: 'Propose a repair' }).count()).toBe(0);
  await lost.getByRole('button', { name: 'Drop seal' }).click();
  await page.getByRole('button', { name: 'Save a version without' }).click();
  await lost.waitFor({ state: 'detached' });
  const { json } = await client.call('GET', `/v1/parsers/${data.broken.parser}`);
  expect(json).toMatchObject({ version: 3 });
  expect(Object.keys((json as { schema: { fields: object } }).schema.fields)).not.toContain('seal');
});
