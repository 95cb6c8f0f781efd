import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let site: Site;
let client: Client;

beforeAll(async () => {
  site = await startSite();
  client = await system.client();
});
afterAll(() => site.close());

async function ask<T>(method: string, params: object): Promise<T> {
  const { text } = await client.call(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params },
    { headers: { accept: 'application/json, text/event-stream' } },
  );
  const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(json) as { result?: T };
  if (result === undefined) throw new Error(`${method}: ${text}`);
  return result;
}

async function use<T>(name: string, args: object): Promise<T> {
  const answer = await ask<{ isError?: boolean; structuredContent?: { result: T } }>('tools/call', {
    name,
    arguments: args,
  });
  if (answer.structuredContent === undefined || answer.isError === true)
    throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.structuredContent.result;
}

it('offers an agent tools with which it makes a parser and reads a page', async () => {
  const { tools } = await ask<{ tools: { name: string }[] }>('tools/list', {});
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['create_parser', 'scrape', 'create_batch']),
  );
  const { id } = await use<{ id: string }>('create_parser', {
    name: 'kettles',
    schema: { fields: { title: 'h1' } },
  });
  const scraped = await use<object>('scrape', { parserId: id, url: `${site.url}/product` });
  expect(JSON.stringify(scraped)).toContain('Blue kettle');
});
