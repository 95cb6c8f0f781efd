import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

const SCHEMA = { fields: { title: 'h1', price: { css: '.price', type: 'number' } } };
const HTML = '<h1>Blue kettle</h1><p class="price">$12.50</p><p class="old">$20.00</p>';

let dashboard: Dashboard;
let client: Client;

beforeAll(async () => {
  dashboard = await startDashboard();
  client = await dashboard.system.client();
});
afterAll(() => dashboard.close());

async function createParser(): Promise<string> {
  const { json } = await client.call('POST', '/v1/parsers', { name: 'kettles', schema: SCHEMA });
  return (json as { id: string }).id;
}

it('adds a sample, pins its values one by one, and shows what they are', async () => {
  const id = await createParser();
  const page = await dashboard.open({ client, path: `/parsers/${id}/samples` });
  await page.getByRole('button', { name: 'Paste HTML' }).click();
  await page.getByRole('textbox', { name: 'HTML of a page' }).fill(HTML);
  await page.getByRole('button', { name: 'Open it', exact: true }).click();
  const values = page.getByRole('region', { name: 'Values, table' });
  await values.getByRole('cell', { name: 'Blue kettle' }).waitFor();
  await page.getByRole('cell', { name: '2 pinned values' }).waitFor();
  await values.getByRole('checkbox', { name: 'Pin title' }).uncheck();
  await page.getByRole('cell', { name: '1 pinned value', exact: true }).waitFor();
  const { json } = await client.call('GET', `/v1/parsers/${id}/samples`);
  expect(json).toMatchObject({ samples: [{ expected: { price: 12.5 } }] });
});

it('refuses a version that breaks a sample, shows the difference, and saves it by force', async () => {
  const id = await createParser();
  await client.call('POST', `/v1/parsers/${id}/samples`, { html: HTML, expected: { price: 12.5 } });
  const page = await dashboard.open({ client, path: `/parsers/${id}?fields=json` });
  // The sample's own page is there already.
  await page.getByRole('button', { name: 'Page', exact: true }).click();
  await page.getByRole('button', { name: 'Paste HTML' }).click();
  await page.getByRole('textbox', { name: 'HTML of a page' }).fill(HTML);
  await page.getByRole('button', { name: 'Open it', exact: true }).click();
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Keep this page as a sample', exact: true }).click();
  await page.getByText('Kept as a sample with 2 pinned values').waitFor();
  await page
    .locator('.cm-content')
    .fill(JSON.stringify({ fields: { title: 'h1', price: { css: '.old', type: 'number' } } }));
  await page.getByRole('button', { name: 'Save v2' }).click();
  const refused = page.getByRole('alert', { name: 'Refused version' });
  const rows = refused.getByRole('region', { name: 'Differences on samples', exact: true }).getByRole('row');
  await rows.filter({ hasText: '12.5' }).first().waitFor();
  expect(await rows.nth(1).textContent()).toMatch(/price12\.52012\.5$/);
  await refused.getByRole('button', { name: 'Save it anyway', exact: true }).click();
  await page.getByText('Saved. 2 values changed on samples.').waitFor();

  await page.goto(`${dashboard.system.baseUrl}/parsers/${id}/versions`);
  await page.getByRole('link', { name: 'Compare with v2' }).click();
  const comparison = page.getByRole('region', { name: 'v1 and v2' });
  await comparison.getByRole('cell', { name: '20' }).first().waitFor();
  await page.getByRole('button', { name: 'Restore as v3' }).click();
  await page.getByText('restored from v1').waitFor();
});

it('offers all samples of a parser, and opens an older one when it is chosen', async () => {
  const id = await createParser();
  for (const number of Array.from({ length: 12 }).keys()) {
    const sample = { url: `https://a.example/${number}`, html: `<h1>Kettle ${number}</h1>` };
    expect((await client.call('POST', `/v1/parsers/${id}/samples`, sample)).status).toBe(201);
  }
  const page = await dashboard.open({ client, path: `/parsers/${id}` });
  await page.getByRole('combobox', { name: 'Kept page', exact: true }).click();
  await page.getByRole('option', { name: /a\.example\/0$/ }).click();
  await page.frameLocator('iframe[title^="The page"]').getByText('Kettle 0').waitFor();
});
