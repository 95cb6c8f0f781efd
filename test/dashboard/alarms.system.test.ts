import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startShop, type Shop } from '../system/shop-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';

/** A site's redesign reaches a person: on every page that shows the parser or its work, and by webhook. */

let dashboard: Dashboard;
let shop: Shop;
let hooks: Server;
const heard: { event: string; at: number }[] = [];
let client: Client;

/** Its first field stays on the page after the redesign, so pages succeed: only the alarm says what is lost. */
const SCHEMA = {
  fields: { page: { css: 'title' }, title: { css: 'h1.title' }, price: { css: '.price', type: 'number' } },
};

beforeAll(async () => {
  [dashboard, shop] = await Promise.all([startDashboard(), startShop()]);
  client = await dashboard.system.client({ credits: 5_000 });
  hooks = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      heard.push({ event: (JSON.parse(body) as { type: string }).type, at: Date.now() });
      response.end();
    });
  });
  hooks.listen(0, '127.0.0.1');
  await once(hooks, 'listening');
});
afterAll(async () => {
  await dashboard.close();
  await shop.close();
  hooks.close();
});

async function create(path: string, body: unknown): Promise<string> {
  const { status, json, text } = await client.call('POST', path, body);
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return (json as { id: string }).id;
}

it('shows a redesign on the first page, in the side bar, on crons and runs, and calls the webhook, in 10 s', async () => {
  const database = await create('/v1/databases', { name: 'kettles', kind: 'managed' });
  const parser = await create('/v1/parsers', { name: 'kettle shop', schema: SCHEMA });
  await create('/v1/parsers', { name: 'another', schema: SCHEMA });
  await create('/v1/webhooks', {
    url: `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/`,
    events: ['parser.drift'],
  });
  const urls = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => shop.product(from + index));
  const sink = { mode: 'database', database, table: 'kettles' };
  const target = { type: 'parser', parserId: parser };
  await create('/v1/batches', { name: 'learned', target, sink, urls: urls(0, 40) });
  await until('the health is known', async () => {
    const { json } = await client.call('GET', `/v1/parsers/${parser}/health`);
    return (json as { hosts: { pages: number }[] }).hosts[0]?.pages === 40;
  });
  const cron = await create('/v1/crons', {
    name: 'every morning',
    description: '',
    schedule: '0 6 * * *',
    target,
    sink,
    inputs: urls(0, 30),
  });
  const workflow = await create('/v1/workflows', { name: 'kettles', stages: [{ name: 'kettles', target }] });
  const first = await dashboard.open({ client, path: '/parsers' });
  await first.getByRole('link', { name: 'kettle shop' }).waitFor();
  expect(await first.getByText(/no longer reads/).count()).toBe(0);

  shop.redesign();
  const before = shop.hits();
  await client.call('POST', `/v1/crons/${cron}/trigger`);
  await until('the new template is read', async () => shop.hits() > before);
  const changedAt = Date.now();
  await first.getByText('1 parser no longer reads what it did:').waitFor();
  const seenMs = Date.now() - changedAt;
  await until('the webhook is called', async () => heard.length > 0);
  const heardMs = (heard[0]?.at ?? 0) - changedAt;
  console.info(`redesign: seen after ${seenMs} ms, webhook after ${heardMs} ms`);
  expect(heard[0]?.event).toBe('parser.drift');
  if (inject('isLong')) expect(Math.max(seenMs, heardMs)).toBeLessThan(10_000);

  const navigation = first.getByRole('navigation', { name: 'Pages', exact: true });
  await navigation.getByRole('link', { name: /Parsers.*1 parser no longer reads/ }).waitFor();
  const badge = { name: 'parser broken' };
  expect(await first.getByRole('link', badge).count()).toBe(1);

  // What ran before the redesign stays green, what ran after it is not; a cron that fires is not simply active.
  await until('the run has ended', async () => {
    const { json } = await client.call('GET', '/v1/batches');
    const { batches } = json as { batches: { status: string }[] };
    return batches.length === 2 && batches.every(({ status }) => status === 'succeeded');
  });
  const runs = await dashboard.open({ client, path: '/runs' });
  const rows = runs.getByRole('table', { name: 'Runs' }).getByRole('row');
  await rows.getByRole('link', badge).waitFor();
  expect(await rows.filter({ hasText: 'learned' }).textContent()).toContain('succeeded');
  expect(await rows.getByRole('link', badge).count()).toBe(1);
  await runs.goto(`${dashboard.system.baseUrl}/crons`);
  // Beside the cron alone; its last run isn't green beside it.
  const crons = runs.getByRole('table', { name: 'Crons' });
  await crons.getByRole('link', badge).waitFor();
  expect(await crons.getByText('succeeded').count()).toBe(0);
  for (const path of ['/workflows', `/workflows/${workflow}`]) {
    await runs.goto(`${dashboard.system.baseUrl}${path}`);
    await runs.getByRole('link', badge).waitFor();
  }
  await runs.goto(`${dashboard.system.baseUrl}/crons/${cron}`);
  await runs.getByRole('region', { name: 'Firings' }).getByRole('link', badge).waitFor();
  await runs.getByRole('link', badge).first().click();
  await runs.getByRole('button', { name: 'Propose a repair' }).waitFor();
});
