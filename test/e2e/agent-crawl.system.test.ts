import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { useSystem } from '../system/use-system.ts';

/** An agent's context of 20,000 tokens, at four characters each. */
const CONTEXT_CHARACTERS = 80_000;

const system = useSystem();
let site: Site;
let client: Client;
/** Characters that the agent has read and written. */
let used = 0;

beforeAll(async () => {
  site = await startSite();
  client = await system.client();
});
afterAll(() => site.close());

async function rpc(method: string, params: object): Promise<{ content?: { text: string }[] }> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { text } = await client.call('POST', '/mcp', body, {
    headers: { accept: 'application/json, text/event-stream' },
  });
  const { result } = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text) as {
    result?: { content?: { text: string }[]; isError?: boolean };
  };
  if (result === undefined || result.isError === true) throw new Error(`${JSON.stringify(params)}: ${text}`);
  used += JSON.stringify(params).length;
  return result;
}

/** Calls a tool. @returns what the agent reads of the answer */
async function use<T>(name: string, args: object): Promise<T> {
  const { content = [] } = await rpc('tools/call', { name, arguments: args });
  const [{ text } = { text: '' }] = content;
  used += text.length;
  return (JSON.parse(text) as { result: T }).result;
}

async function ended(id: string): Promise<void> {
  for (;;) {
    const { status } = await use<{ status: string }>('get_workflow_run', { id, wait_seconds: 50 });
    if (status === 'succeeded') return;
    if (status !== 'running' && status !== 'pending') throw new Error(`${id} is ${status}`);
  }
}

test('an agent with the default tools makes, tests, schedules and undoes a crawl in 20,000 tokens', async () => {
  used += JSON.stringify(await rpc('tools/list', {})).length;
  const start = `${site.url}/shop?page=1&pages=3`;
  const crawl = { next: ['a.next'] };
  const map = await use<{ id: string }>('map_site', { start: [start], crawl });
  await ended(map.id);
  const { urls } = await use<{ urls: { url: string }[] }>('get_run_urls', { id: map.id, limit: 10 });
  const item = urls.find(({ url }) => url.includes('/item'))?.url ?? '';

  await use('read_page', { url: item });
  const schema = { fields: { name: 'h1', stock: '.stock' } };
  const preview = await use<{ data: object }>('preview_parser', { schema, url: item });
  expect(preview.data).toMatchObject({ stock: 'in stock' });
  const parser = await use<{ id: string }>('create_parser', { name: 'items', schema });
  const target = { type: 'parser', parserId: parser.id };

  const routes = [{ name: 'items', match: '/item*', target }];
  const tried = await use<{ id: string }>('crawl_site', {
    start: [start],
    crawl,
    routes,
    limits: { pages: 5 },
  });
  await ended(tried.id);
  const { results } = await use<{ results: { data: object }[] }>('get_run_results', {
    id: tried.id,
    limit: 3,
  });
  expect(results[0]?.data).toMatchObject({ stock: 'in stock' });

  const database = await use<{ id: string }>('create_database', { name: 'shop', kind: 'managed' });
  const sink = { mode: 'database', database: database.id, table: 'items' };
  const stages = [{ name: 'shop', crawl, routes: routes.map((route) => ({ ...route, sink })) }];
  const workflow = await use<{ id: string }>('create_workflow', { name: 'shop', stages });
  const run = await use<{ id: string }>('run_workflow', { id: workflow.id, urls: [start] });
  await ended(run.id);
  const found = await use<{ rows: object[] }>('query_rows', { id: database.id, table: 'items', limit: 3 });
  expect(found.rows[0]).toMatchObject({ stock: 'in stock' });

  const cron = await use<{ id: string; enabled: boolean }>('create_cron', {
    name: 'nightly',
    description: 'The shop, each night',
    schedule: '0 3 * * *',
    url: start,
    target: { type: 'workflow', workflowId: workflow.id },
  });
  expect(cron.enabled).toBe(true);
  expect(await use('update_cron', { id: cron.id, enabled: false })).toMatchObject({ enabled: false });
  for (const { id } of [cron, workflow, parser, database]) await use('delete', { id });
  expect(await use('list_crons', {})).toMatchObject({ crons: [] });
  expect(await use('list_parsers', {})).toMatchObject({ parsers: [] });
  expect(await use('list_databases', {})).toMatchObject({ databases: [] });
  expect(used).toBeLessThan(CONTEXT_CHARACTERS);
});
