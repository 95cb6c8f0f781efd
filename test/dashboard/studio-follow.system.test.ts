import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { findFaults, findWide } from './find-faults.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';
import { pageShown } from './studio-actions.ts';

/** What the studio makes of a list beyond its page. */

let dashboard: Dashboard;
let site: Site;

beforeAll(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startSite()]);
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
});

const SCHEMA = {
  fields: {
    items: { css: 'li', take: 'all', fields: { name: 'a', link: { css: 'a@href', type: 'url' } } },
    best: { css: '.self@href', type: 'url' },
  },
};

/** Opens the shop's list with a parser of this schema, and the dialog that follows it. */
async function openFollow(client: Client, schema: object) {
  const { json } = await client.call('POST', '/v1/parsers', { name: 'shop', schema });
  const { id } = json as { id: string };
  const page = await dashboard.open({ client });
  const open = encodeURIComponent(`${site.url}/shop?page=1&pages=3`);
  await page.goto(`${dashboard.system.baseUrl}/parsers/${id}?open=${open}`);
  await page.getByRole('button', { name: /^Open for/ }).click();
  await pageShown(page);
  await page.getByRole('button', { name: 'Next page, details' }).click();
  return { id, page, dialog: page.getByRole('dialog') };
}

it('makes of a list its next pages, a parser of its details and the workflow of both, in one click', async () => {
  const client = await dashboard.system.client();
  const { id, page, dialog } = await openFollow(client, SCHEMA);
  await dialog.getByText('a.next', { exact: true }).waitFor();
  await dialog.getByText(/^8 links on this page/).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => findWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByRole('button', { name: 'Make it for 1 credit' }).click();
  await page.waitForURL(/\/workflows\/wfl_/);
  const { json: workflow } = await client.call('GET', `/v1${new URL(page.url()).pathname}`);
  const details = { stage: 'list', path: '$.items[*].link' };
  expect(workflow).toMatchObject({
    stages: [
      { target: { parserId: id }, from: { stage: 'list', path: '$.next_page' }, limit: 100 },
      { from: details, sink: { mode: 'database', table: 'shop_details' } },
    ],
  });
  const { stages } = workflow as { stages: { target: { parserId: string } }[] };
  const { json: list } = await client.call('GET', `/v1/parsers/${id}`);
  expect(list).toMatchObject({
    version: 2,
    schema: { fields: { next_page: { css: 'a.next@href', type: 'url' } } },
  });
  const { json: second } = await client.call('GET', `/v1/parsers/${stages[1]?.target.parserId}`);
  expect(second).toMatchObject({ name: 'shop, details', version: 1 });
  expect(JSON.stringify((second as { schema: object }).schema)).toContain('h1');
});

it('leaves the parser as it was when the page of the details is refused', async () => {
  const client = await dashboard.system.client();
  const fields = { title: 'h1', best: { const: `${site.url}/missing`, type: 'url' } };
  const { id, dialog } = await openFollow(client, { fields });
  await dialog.getByText(/^1 link on this page/).waitFor();
  await dialog.getByRole('button', { name: 'Make it for 1 credit' }).click();
  await dialog.getByRole('alert').waitFor();
  expect((await client.call('GET', `/v1/parsers/${id}`)).json).toMatchObject({
    version: 1,
    schema: { fields },
  });
});
