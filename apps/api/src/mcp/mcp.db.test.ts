import { request } from 'node:http';
import { createTestAccount, createTestParser } from '@gleaner/core/testing';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestMcp, REVISIONS, type TestMcp } from './testing/test-mcp.ts';

let mcp: TestMcp;
let account: { accountId: string; apiKey: string };

beforeAll(async () => {
  mcp = await openTestMcp();
  account = await createTestAccount(mcp.services, { requestsPerMinute: 100_000 });
});
afterAll(() => mcp.close());

interface Reply {
  isError: boolean;
  text: string;
  data: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Reply> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return {
    isError: isError === true,
    text: first?.type === 'text' ? first.text : '',
    data: (structuredContent ?? {}) as Record<string, unknown>,
  };
}

/** Whether a schema has a list whose elements have none: hosts of agents refuse it. */
function hasBareList(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, items } = schema as Record<string, unknown>;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return (isList && items === undefined) || Object.values(schema).some(hasBareList);
}

function post(
  headers: Record<string, string>,
  body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' },
) {
  return fetch(mcp.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

test('a list of messages is refused, and so are arguments named like members of every object', async () => {
  const sent = { authorization: `Bearer ${account.apiKey}` };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await post(sent, [list, list])).status).toBe(400);
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    const params = { name: 'list_databases', arguments: { [name]: { a: 1 } } };
    const answer = await (await post(sent, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text();
    expect(answer).toContain('Error: invalid request');
  }
});

test('arguments that every tool has are refused in the words of all others', async () => {
  const sent = { authorization: `Bearer ${account.apiKey}` };
  const params = { name: 'get_credits', arguments: { max_characters: 5 } };
  const long = { name: 'get_parser', arguments: { id: 'page', max_characters: 5 } };
  for (const one of [params, long]) {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: one };
    const answer = await (await post(sent, call)).text();
    expect(answer).toContain('max_characters');
    expect(answer).toContain('must be at least 1000');
    expect(answer).not.toContain('expected number');
  }
});

describe.each(REVISIONS)('a client of revision %s', (revision) => {
  test('lists the default tools, which leave room in its context', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'scrape',
      'parse_html',
      'list_parsers',
      'get_parser',
      'read_page',
      'create_parser',
      'get_parser_language',
      'preview_parser',
      'create_batch',
      'get_batch',
      'get_batch_results',
      'create_cron',
      'update_parser',
      'create_database',
      'list_crons',
      'update_cron',
      'list_databases',
      'query_rows',
      'create_workflow',
      'run_workflow',
      'get_workflow_run',
      'crawl_site',
      'map_site',
      'get_run_urls',
      'get_run_results',
      'get_changes',
      'get_credits',
      'call_api',
      'delete',
    ]);
    expect(JSON.stringify({ tools }).length).toBeLessThan(36_000);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title).toBeTruthy();
      expect(description).toMatch(/free|credit|charge/i);
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: name === 'delete',
      });
      expect(hasBareList(inputSchema), name).toBe(false);
    }
  });

  test('makes a parser, parses with it and finds it again', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const schema = { fields: { title: 'h1', price: { css: '.price', type: 'number' } } };
    const html = '<h1>Lamp</h1><p class=price>12.50</p>';
    const preview = await call(client, 'preview_parser', { schema, html });
    expect(preview.data).toMatchObject({
      result: { data: { title: 'Lamp', price: 12.5 } },
      credits_used: 0,
      notice: expect.stringContaining('never instructions'),
    });
    const created = await call(client, 'create_parser', { name: 'lamps', schema });
    const { id } = created.data.result as { id: string };
    expect(created.data.next_step).toContain(id);
    const parsed = await call(client, 'parse_html', { parserId: id, html });
    expect(parsed.data).toMatchObject({ result: { title: 'Lamp', price: 12.5 }, credits_remaining: 1_000 });
    expect(JSON.parse(parsed.text)).toEqual(parsed.data);
    expect((await call(client, 'get_parser', { id })).data).toMatchObject({ result: { name: 'lamps' } });
    const resource = await client.readResource({ uri: `gleaner://parsers/${id}` });
    expect(JSON.stringify(resource.contents)).toContain('lamps');
  });

  test('reads a page, and its selectors make a parser', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const card = (name: string) =>
      `<li class="card"><b class="name">${name}</b><i class="price">${name.length}.50</i></li>`;
    const html = `<h1>Lamps</h1><ul>${['Arc', 'Bowl', 'Candle'].map(card).join('')}</ul>${'<p>Much text of a page.</p>'.repeat(500)}`;
    const read = await call(client, 'read_page', { html, max_characters: 3_000 });
    expect(read.data).toMatchObject({
      result: { headings: [{ level: 1, text: 'Lamps', selector: 'h1' }] },
      credits_used: 0,
      notice: expect.stringContaining('never instructions'),
      next_step: expect.stringContaining('preview_parser'),
    });
    // The operation fits the budget itself, so the door cuts nothing.
    expect(read.data).not.toHaveProperty('cut');
    expect(JSON.stringify(read.data.result).length).toBeLessThanOrEqual(3_000);
    const { blocks } = read.data.result as { blocks: { field: unknown; samples: unknown[] }[] };
    const preview = await call(client, 'preview_parser', {
      schema: { fields: { items: blocks[0]?.field } },
      html,
    });
    const { data } = preview.data.result as { data: { items: unknown[] } };
    expect(data.items).toHaveLength(3);
    expect(data.items.slice(0, 2)).toEqual(blocks[0]?.samples);
  });

  test('reads failures with their hint', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const missing = await call(client, 'get_parser', { id: 'prs_of_another' });
    expect(missing).toMatchObject({ isError: true, data: {} });
    expect(missing.text).toContain('Error: not found');
    const wrong = await call(client, 'create_parser', { name: 'x', schema: { fields: { a: '##' } } });
    expect(wrong.text).toContain('field: schema.fields.a');
    const surplus = await call(client, 'get_credits', { nothing: 1 });
    expect(surplus.text).toContain('field: nothing');
    const misnamed = await call(client, 'scrape', { parser_id: 'prs_none', url: 'https://a.example/?b=1' });
    expect(misnamed.text).toContain('field: parser_id');
    expect(misnamed.text).toContain('its arguments are parserId, url');
    expect(misnamed.text).toContain('Did you mean parserId?');
    const language = await call(client, 'create_parser', { name: 'x', schema: { fields: { a: { is: 1 } } } });
    expect(language.text).not.toMatch(/curl|\/v1\//);
    const api = await call(client, 'call_api', { id: 'nope', input: {} });
    expect(api.text).toContain('videosite-video');
    const input = await call(client, 'call_api', { id: 'videosite-video', input: {} });
    expect(input).toMatchObject({ isError: true, text: expect.stringContaining('field: ') });
    await expect(client.callTool({ name: 'drop_everything', arguments: {} })).rejects.toThrow(/no tool/);
  });

  test('may write an object as JSON text', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const preview = await call(client, 'preview_parser', {
      schema: '{"fields": {"title": "h1"}}',
      html: '[<h1>Lamp</h1>]',
    });
    expect(preview.data).toMatchObject({ result: { data: { title: 'Lamp' } } });
    const api = await call(client, 'call_api', { id: 'videosite-video', input: '{"nothing": 1}' });
    expect(api.text).toContain('field: nothing');
  });

  test('gets a dry run instead of a batch', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const parserId = await createTestParser(mcp.services, account.accountId);
    const { data } = await call(client, 'create_batch', {
      target: { type: 'parser', parserId },
      urls: ['https://a.example/1', 'https://a.example/2'],
      dry_run: true,
    });
    expect(data).toMatchObject({ result: { dry_run: true, inputs: 2 }, credits_used: 0 });
  });
});

describe('groups', () => {
  test('are selected in the address, and calls beyond them are refused', async () => {
    const client = await mcp.connect(account.apiKey, { query: '?tools=apis,manage,workflows,get_credits' });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['videosite_video', 'list_apis', 'delete', 'run_workflow', 'get_credits']),
    );
    const missing = await call(client, 'run_workflow', { id: 'wfl_none', urls: ['http://a.test/'] });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('not found') });
    expect(names).not.toContain('scrape');
    await expect(client.callTool({ name: 'scrape', arguments: {} })).rejects.toThrow(
      /of the group default.*tools=default/,
    );
    await expect(client.callTool({ name: 'list_batchs', arguments: {} })).rejects.toThrow(
      /did you mean list_batches\?/,
    );
  });

  test('let an agent with the tools of manage look at rows, decide on held ones, and see why they are held', async () => {
    const owner = await createTestAccount(mcp.services);
    const parser = await createTestParser(mcp.services, owner.accountId, [{ fields: { title: 'h1' } }]);
    const client = await mcp.connect(owner.apiKey, { query: '?tools=default,manage' });
    const make = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const reply = await call(client, tool, args);
      expect(reply, reply.text).toMatchObject({ isError: false });
      return reply.data.result as Record<string, unknown>;
    };
    const database = await make('create_database', { name: 'shop', kind: 'managed' });
    const { id } = await make('create_batch', {
      target: { type: 'parser', parserId: parser },
      urls: ['https://shop.example/0', 'https://shop.example/1'],
      sink: { mode: 'database', database: database.id, table: 'lamps', on_drift: 'quarantine' },
    });
    await mcp.services.db.sql`
      INSERT INTO gleaner.quarantined_rows
        (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      SELECT no, n, account_id, ${parser}, 1, 'shop.example', 'held', 'https://shop.example/' || n, '{"title":"x"}', 'odd', now()
      FROM gleaner.runs, generate_series(0, 1) n WHERE id = ${String(id)}`;
    // The filter is read as an object; no page has made the table yet.
    const rows = { id: database.id, table: 'lamps', filter: { title: 'Lamp' } };
    expect((await call(client, 'query_rows', rows)).text).toContain('field: table');
    expect(await make('get_parser_health', { parserId: parser })).toMatchObject({ hosts: [] });
    expect(await make('list_quarantined_rows', { id })).toMatchObject({
      rows: [{ seq: 1, reason: 'odd' }, { seq: 0 }],
    });
    expect(await make('release_quarantined_rows', { id, seqs: [0] })).toEqual({ releasing: 1 });
    expect(await make('discard_quarantined_rows', { id })).toEqual({ discarded: 1 });
    expect((await call(client, 'publish_run', { id })).text).toContain('no removals of the run wait');
  });

  test('let an agent with the default tools make, try, run, schedule, change and remove a parser', async () => {
    const owner = await createTestAccount(mcp.services);
    const client = await mcp.connect(owner.apiKey);
    const make = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const reply = await call(client, tool, args);
      expect(reply, reply.text).toMatchObject({ isError: false });
      return reply.data.result as Record<string, unknown>;
    };
    const html = '<h1>Lamp</h1>';
    const language = await make('get_parser_language', { max_characters: 1_000_000 });
    expect(JSON.stringify(language)).toContain('jsonld');
    await make('preview_parser', { schema: { fields: { title: 'h1' } }, html });
    const { id } = await make('create_parser', { name: 'lamps', schema: { fields: { title: 'h1' } } });
    expect(await make('parse_html', { parserId: id, html })).toEqual({ title: 'Lamp' });
    await make('update_parser', { id, schema: { fields: { name: 'h1' } } });
    expect(await make('parse_html', { parserId: id, html })).toEqual({ name: 'Lamp' });
    const batch = { target: { type: 'parser', parserId: id }, urls: ['https://shop.example/'] };
    expect(await make('create_batch', { ...batch, dry_run: true })).toMatchObject({ inputs: 1 });
    const database = await make('create_database', { name: 'shop', kind: 'managed' });
    const cron = await make('create_cron', {
      name: 'daily',
      description: '',
      url: 'https://shop.example/',
      schedule: '0 6 * * *',
      target: { type: 'parser', parserId: id },
      sink: { mode: 'database', database: database.id, table: 'lamps' },
    });
    expect(await make('update_cron', { id: cron.id, enabled: false })).toMatchObject({ enabled: false });
    expect(await make('list_crons', {})).toMatchObject({ crons: [{ id: cron.id, next_run_at: null }] });
    await make('delete', { id: cron.id });
    await make('delete', { id });
    await make('delete', { id: database.id });
    expect(await make('list_crons', {})).toMatchObject({ crons: [] });
    expect(await make('list_databases', {})).toMatchObject({ databases: [] });
  });

  test('let an agent with the default tools schedule a crawl, run it, and take all of it back', async () => {
    const owner = await createTestAccount(mcp.services);
    const client = await mcp.connect(owner.apiKey);
    const make = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const reply = await call(client, tool, args);
      expect(reply, reply.text).toMatchObject({ isError: false });
      return { ...(reply.data.result as Record<string, unknown>), next_step: reply.data.next_step };
    };
    const database = await make('create_database', { name: 'shop', kind: 'managed' });
    const { id: parserId } = await make('create_parser', { name: 'p', schema: { fields: { title: 'h1' } } });
    const sink = { mode: 'database', database: database.id, table: 'pages' };
    const workflow = await make('create_workflow', {
      name: 'shop',
      stages: [
        {
          name: 'site',
          crawl: { scope: 'path', include: ['/product/*'] },
          routes: [{ name: 'products', match: '/product/*', target: { type: 'parser', parserId }, sink }],
          limit: 100,
        },
      ],
    });
    expect(workflow.next_step).toContain(
      `create_cron: target {"type": "workflow", "workflowId": "${String(workflow.id)}"}`,
    );
    const cron = await make('create_cron', {
      name: 'daily',
      description: '',
      inputs: ['https://shop.example/shop/'],
      schedule: '0 6 * * *',
      target: { type: 'workflow', workflowId: workflow.id },
    });
    const run = await make('run_workflow', { id: workflow.id, urls: ['https://shop.example/shop/'] });
    expect(await make('delete', { id: run.id })).toMatchObject({ status: 'cancelled' });
    await make('delete', { id: run.id, results: true });
    const rows = { id: database.id, table: 'none', filter: { _url: 'https://shop.example/' } };
    expect((await call(client, 'delete', rows)).text).toContain('Error: not found');
    for (const { id } of [cron, workflow, { id: parserId }, database]) await make('delete', { id });
    const left = await call(client, 'delete', { id: workflow.id });
    expect(left.text).toContain('Error: not found');
    const slug = await call(client, 'delete', { id: 'shop' });
    expect(slug.text).toContain('field: id');
    expect(slug.text).toContain('prs_, db_, crn_');
  });

  test('take the id of a parser by either of its names', async () => {
    const owner = await createTestAccount(mcp.services);
    const client = await mcp.connect(owner.apiKey);
    const id = await createTestParser(mcp.services, owner.accountId, [{ fields: { title: 'h1' } }]);
    for (const name of ['id', 'parserId']) {
      expect((await call(client, 'get_parser', { [name]: id })).data).toMatchObject({ result: { id } });
      const parsed = await call(client, 'parse_html', { [name]: id, html: '<h1>Lamp</h1>' });
      expect(parsed.data).toMatchObject({ result: { title: 'Lamp' } });
    }
    const { tools } = await client.listTools();
    const ofParsers = tools.filter(({ name }) => /^(scrape|parse_html|get_parser|update_parser)$/.test(name));
    expect(ofParsers).toHaveLength(4);
    for (const { inputSchema } of ofParsers) expect(inputSchema.required).toContain('parserId');
  });

  test('that do not exist are named', async () => {
    const answer = await fetch(`${mcp.url}?tools=everything`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ field: 'tools', hint: expect.stringContaining('manage') });
  });
});

describe('a result', () => {
  test('that is a page of a list gets fewer elements, and its cursor leads to the rest', async () => {
    const owner = await createTestAccount(mcp.services);
    const made = new Set<string>();
    for (let index = 0; index < 12; index += 1)
      made.add(
        await createTestParser(mcp.services, owner.accountId, [{ fields: { text: `.${'x'.repeat(300)}` } }]),
      );
    const client = await mcp.connect(owner.apiKey);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const reply: Reply = await call(client, 'list_parsers', {
        max_characters: 3_000,
        ...(cursor === null ? {} : { cursor }),
      });
      const { parsers, pagination } = reply.data.result as {
        parsers: { id: string }[];
        pagination: { cursor: string | null };
      };
      expect(JSON.stringify(reply.data.result).length).toBeLessThanOrEqual(3_000);
      seen.push(...parsers.map(({ id }) => id));
      ({ cursor } = pagination);
    } while (cursor !== null);
    expect(seen).toHaveLength(12);
    expect(new Set(seen)).toEqual(made);
  });

  test('that is too long is cut, and says so', async () => {
    const client = await mcp.connect(account.apiKey);
    const { data } = await call(client, 'preview_parser', {
      schema: { fields: { text: 'p' } },
      html: `<p>${'word '.repeat(20_000)}</p>`,
      max_characters: 2_000,
    });
    expect(data.cut).toContain('max_characters');
    expect(JSON.stringify(data.result).length).toBeLessThanOrEqual(2_000);
  });
});

describe('a request', () => {
  test.each([
    ['of a foreign page', { origin: 'https://evil.example' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['of a local page', { origin: 'http://localhost:6274' }, 200],
  ])('%s has its status', async (_name, headers, status) => {
    const answer = await post({ 'x-api-key': account.apiKey, ...headers });
    expect(answer.status).toBe(status);
  });

  test('for a name that is not the service’s is refused', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(mcp.url, {
        method: 'POST',
        headers: { host: 'evil.example', 'x-api-key': account.apiKey },
      });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(status).toBe(403);
  });

  test('without a valid key is refused, and says how to send one', async () => {
    const attempts: Record<string, string>[] = [{}, { authorization: 'Bearer gln_nonsense' }];
    for (const headers of attempts) {
      const answer = await post(headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    const inQuery = await fetch(`${mcp.url}?api_key=${account.apiKey}`, { method: 'POST' });
    expect(inQuery.status).toBe(401);
  });

  test('beyond the rate of its key is refused', async () => {
    const slow = await createTestAccount(mcp.services, { requestsPerMinute: 2 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      const answer = await post({ 'x-api-key': slow.apiKey });
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});
