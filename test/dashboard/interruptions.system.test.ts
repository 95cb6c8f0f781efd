import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_PASSWORD, type Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

/** What stands in the way of work says so: a site that asks for a pause, a question before a loss. */

let dashboard: Dashboard;
let client: Client;
let busy: Server;
let url: string;
const SCHEMA = { fields: { title: 'h1' } };

beforeAll(async () => {
  dashboard = await startDashboard();
  client = await dashboard.system.client({ credits: 5_000 });
  busy = createServer((request, response) => {
    if (request.url === '/busy') response.writeHead(503, { 'retry-after': '300' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>there</h1>');
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dashboard.close();
  busy.close();
});

async function create(path: string, body: unknown): Promise<string> {
  const { status, json, text } = await client.call('POST', path, body);
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return (json as { id: string }).id;
}

it('says that the service is away, keeps what is shown, and reads it again by itself', async () => {
  await create('/v1/parsers', { name: 'kept in sight', schema: SCHEMA });
  const page = await dashboard.open({ client, path: '/parsers', isFresh: true });
  await page.getByRole('link', { name: 'kept in sight' }).waitFor();
  await page.context().route('**/*', (route) => route.abort('connectionrefused'));
  const banner = page.getByRole('alert').filter({ hasText: 'Gleaner does not answer.' });
  await banner.waitFor();
  expect(await banner.textContent()).toContain('What you see was read');
  expect(await page.getByRole('link', { name: 'kept in sight' }).count()).toBe(1);
  await create('/v1/parsers', { name: 'made meanwhile', schema: SCHEMA });
  await page.context().unroute('**/*');
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'made meanwhile' }).waitFor();
  expect(await page.getByText('Gleaner does not answer').count()).toBe(0);
});

it('opens a page whose code is not loaded as soon as the service answers', async () => {
  const page = await dashboard.open({ client, path: '/parsers', isFresh: true });
  await page.getByRole('heading', { name: 'Parsers', level: 1 }).waitFor();
  await page.context().route('**/*', (route) => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Databases', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Gleaner does not answer.' }).waitFor();
  await page.waitForURL(/\/databases$/);
  expect(await page.getByRole('heading', { name: 'Databases', level: 1 }).count()).toBe(0);
  await page.context().unroute('**/*');
  await page.getByRole('heading', { name: 'Databases', level: 1 }).waitFor();
});

it('says why pages wait and until when, to the account and to the operator', async () => {
  const parserId = await create('/v1/parsers', { name: 'waits', schema: SCHEMA });
  const urls = [`${url}/busy`, `${url}/1`];
  const target = { type: 'parser', parserId };
  const id = await create('/v1/batches', { name: 'asked to wait', target, urls });
  await until('a page waits', async () => {
    const { json } = await client.call('GET', `/v1/batches/${id}`);
    return (json as { waiting: unknown }).waiting !== null;
  });
  const { json } = await client.call('GET', `/v1/batches/${id}`);
  const { waiting } = json as { waiting: { tasks: number; reason: string; until: string } };
  expect(waiting.reason).toMatch(/503|asked for a pause/);
  expect(Date.parse(waiting.until)).toBeGreaterThan(Date.now() + 60_000);
  const page = await dashboard.open({ client, path: `/runs/batches/${id}` });
  await page.getByText('1 page waits:').waitFor();
  expect(await page.getByText(/Next try/).textContent()).toMatch(/Next try \d\d:\d\d:\d\d/);
  await page.goto(`${dashboard.system.baseUrl}/operator`);
  await page.getByRole('textbox', { name: 'Operator password' }).fill(OPERATOR_PASSWORD);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByText('Pages that wait', { exact: true }).waitFor();
  await client.call('POST', `/v1/batches/${id}/cancel`);
});

it('lists a run that somebody else starts, and its schedule keeps its pages and its table', async () => {
  const parserId = await create('/v1/parsers', { name: 'live', schema: SCHEMA });
  const database = await create('/v1/databases', { name: 'kept', kind: 'managed' });
  const page = await dashboard.open({ client, path: '/runs' });
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  const id = await create('/v1/batches', {
    name: 'started elsewhere',
    target: { type: 'parser', parserId },
    sink: { mode: 'database', database, table: 'things' },
    urls: [`${url}/1`, `${url}/2`],
  });
  await page.getByRole('link', { name: 'started elsewhere' }).click();
  await page.getByRole('link', { name: 'Run it on a schedule' }).click();
  const pages = page.getByRole('textbox', { name: 'Pages, one address a line' });
  await expect.poll(() => pages.inputValue()).toBe(`${url}/1\n${url}/2`);
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Rows go to', exact: true }).inputValue())
    .toBe('database kept');
  expect(await page.getByRole('textbox', { name: 'Table', exact: true }).inputValue()).toBe('things');
  expect(id).toMatch(/^bat_/);
});

it('asks before it takes a login or closes an account, and names what goes', async () => {
  const database = await create('/v1/databases', { name: 'asked', kind: 'managed' });
  const page = await dashboard.open({ client, path: `/databases/${database}` });
  await page.getByRole('button', { name: 'New login for BI tools' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/stops working at once/).waitFor();
  await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByText('Read-only login').count()).toBe(0);
  await page.getByRole('button', { name: 'New login for BI tools' }).click();
  await dialog.getByRole('button', { name: 'Make a new login' }).click();
  await page.getByText('The password is shown once.').waitFor();

  const other = await dashboard.system.client({ name: 'to be closed' });
  const operator = await dashboard.open({ client, path: '/operator?tab=accounts' });
  await operator.getByRole('textbox', { name: 'Operator password' }).fill(OPERATOR_PASSWORD);
  await operator.getByRole('button', { name: 'Open', exact: true }).click();
  await operator.getByRole('textbox', { name: 'Find an account' }).fill(other.accountId);
  await operator.getByRole('button', { name: 'to be closed' }).click();
  await operator.getByRole('switch', { name: 'Its keys work' }).click();
  await operator.getByRole('button', { name: 'Close …' }).click();
  await operator.getByText(/stop working at once/).waitFor();
  expect((await other.call('GET', '/v1/credits')).status).toBe(200);
  await operator.getByRole('button', { name: 'Close account' }).click();
  await until('the account is closed', async () => (await other.call('GET', '/v1/credits')).status === 401);
});

it('compresses records and lists', async () => {
  for (let number = 0; number < 20; number += 1)
    await create('/v1/parsers', { name: `compressed ${number}`, schema: SCHEMA });
  const { headers } = await client.call('GET', '/v1/parsers?limit=20');
  expect(headers.get('content-encoding')).toBe('gzip');
  expect((await client.call('GET', '/v1/credits')).headers.get('content-encoding')).toBeNull();
});
