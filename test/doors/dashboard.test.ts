import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard } from '../dashboard/start-dashboard.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

it('opens from a sign-in link and shows the account’s parsers', async () => {
  const client = await dashboard.system.client();
  await client.call('POST', '/v1/parsers', { name: 'kettles', schema: { fields: { title: 'h1' } } });
  const page = await dashboard.open();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(await dashboard.signInUrl(client));
  await page.getByRole('link', { name: 'Parsers', exact: true }).first().click();
  await page.getByText('kettles').first().waitFor();
  expect(errors).toEqual([]);
});
