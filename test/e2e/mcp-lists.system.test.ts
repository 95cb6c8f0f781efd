import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

/** Characters of an answer: three of the site's pages, or fewer. */
const MAX_CHARACTERS = 2_900;
const PAGES = 30;

const system = useSystem();
let site: Server;
let client: Client;

interface List {
  args: Record<string, unknown>;
  /** What reads the same over REST. */
  path: string;
  key: string;
  /** A feed always has a cursor, by which it goes on `after` it; an empty page is its end. */
  isFeed?: true;
}

/** Each tool that gives a list page by page. */
let lists: Readonly<Record<string, List>>;

async function make(path: string, body: unknown): Promise<string> {
  const { json, text } = await client.call('POST', path, body);
  const { id } = json as { id?: string };
  if (id === undefined) throw new Error(`${path}: ${text}`);
  return id;
}

async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { text } = await client.call('POST', '/mcp?tools=default,manage,workflows', body, {
    headers: { accept: 'application/json, text/event-stream' },
  });
  const { result } = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text) as {
    result?: Record<string, unknown>;
  };
  if (result === undefined || result['isError'] === true) throw new Error(text);
  return result;
}

type Page = Record<string, unknown> & { cursor?: string; pagination?: { cursor: string | null } };

function cursorOf(page: Page, { key, isFeed }: List): string | undefined {
  if (isFeed && (page[key] as unknown[]).length === 0) return undefined;
  return page.cursor ?? page.pagination?.cursor ?? undefined;
}

/** The argument that has a cursor. */
function placeOf(cursor: string | undefined, { isFeed }: List): Record<string, string> {
  return cursor === undefined ? {} : { [isFeed ? 'after' : 'cursor']: cursor };
}

function hasEnded(run: unknown): boolean {
  return ['succeeded', 'failed'].includes((run as { status: string }).status);
}

beforeAll(async () => {
  site = createServer(({ url = '/' }, response) => {
    const page = /^\/p\/(\d+)$/.exec(url)?.[1];
    if (url === '/')
      response.end(Array.from({ length: PAGES }, (_, n) => `<a href="/p/${n}">page ${n}</a>`).join(' '));
    else if (page === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<h1>Page ${page}</h1><p>${`Sentence ${page} of many. `.repeat(30)}</p>`);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  client = await system.client();
  const schema = { fields: { title: 'h1', text: 'p' } };
  const target = { type: 'parser', parserId: await make('/v1/parsers', { name: 'pages', schema }) };
  const database = await make('/v1/databases', { name: 'rows', kind: 'managed' });
  const sink = { mode: 'database', database, table: 'pages', history: true };
  const urls = Array.from({ length: PAGES }, (_, n) => `${origin}/p/${n}`);
  const gone = Array.from({ length: PAGES }, (_, n) => `${origin}/gone/${n}`);
  const config = { scrape_config: { retries: 0 } };
  const batch = await make('/v1/batches', { target, urls: [...urls, ...gone], ...config });
  const written = await make('/v1/batches', { target, urls, sink });
  const crawl = await make('/v1/crawls', {
    start: [`${origin}/`],
    crawl: { robots: 'off', sources: { sitemaps: false } },
    routes: [{ name: 'pages', match: '/p/*', schema }],
  });
  const stages = [{ name: 'pages', target, ...config }];
  const workflow = await make('/v1/workflows', { name: 'pages', stages });
  const failing = await make(`/v1/workflows/${workflow}/runs`, { urls: gone });
  // Its runs succeed, so that nothing counts failures of it later.
  const cron = { description: 'd'.repeat(500), schedule: '0 0 29 2 *', target, url: `${origin}/p/0`, sink };
  const crons: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    await make('/v1/parsers', { name: `p${n}`, description: 'd'.repeat(500), schema });
    for (const kind of ['a', 'b', 'c'])
      await make('/v1/databases', { name: `${kind}${n}`.padEnd(190, 'x'), kind: 'managed' });
    await make('/v1/batches', { target, urls: urls.slice(0, 1) });
    await make('/v1/workflows', { name: `w${n}`, description: 'd'.repeat(500), stages });
    crons.push(await make('/v1/crons', { ...cron, name: `c${n}` }));
  }
  const [first = ''] = crons;
  for (let n = 0; n < 20; n += 1) await client.call('POST', `/v1/crons/${first}/trigger`, undefined);
  for (const id of [crawl, failing])
    await until(`run ${id} ends`, async () =>
      hasEnded((await client.call('GET', `/v1/workflow-runs/${id}`)).json),
    );
  await until('all batches end', async () => {
    const { json } = await client.call('GET', '/v1/batches?limit=100');
    return (json as { batches: unknown[] }).batches.every(hasEnded);
  });
  // As a parser that seems broken leaves them.
  await system.db.sql`
    INSERT INTO gleaner.quarantined_rows
      (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
    SELECT no, n, account_id, ${target.parserId}, 1, 'a.test', 'held', 'http://a.test/' || n,
      jsonb_build_object('title', repeat('x', 500)), 'odd', now()
    FROM gleaner.runs, generate_series(0, 29) n WHERE id = ${written}`;
  const table = { id: database, table: 'pages' };
  lists = {
    list_parsers: { args: {}, path: '/v1/parsers', key: 'parsers' },
    list_databases: { args: {}, path: '/v1/databases', key: 'databases' },
    list_workflows: { args: {}, path: '/v1/workflows', key: 'workflows' },
    list_crons: { args: {}, path: '/v1/crons', key: 'crons' },
    list_batches: { args: {}, path: '/v1/batches', key: 'batches' },
    list_cron_runs: { args: { id: first }, path: `/v1/crons/${first}/runs`, key: 'runs' },
    get_batch_results: { args: { id: batch }, path: `/v1/batches/${batch}/results`, key: 'results' },
    get_batch_failures: { args: { id: batch }, path: `/v1/batches/${batch}/failures`, key: 'failures' },
    get_changes: {
      args: table,
      path: `/v1/databases/${database}/tables/pages/changes`,
      key: 'changes',
      isFeed: true,
    },
    list_quarantined_rows: { args: { id: written }, path: `/v1/batches/${written}/quarantine`, key: 'rows' },
    query_rows: { args: table, path: `/v1/databases/${database}/tables/pages/rows`, key: 'rows' },
    get_run_urls: { args: { id: crawl }, path: `/v1/workflow-runs/${crawl}/urls`, key: 'urls' },
    get_run_results: { args: { id: crawl }, path: `/v1/workflow-runs/${crawl}/results`, key: 'results' },
    get_workflow_run_failures: {
      args: { id: failing },
      path: `/v1/workflow-runs/${failing}/failures`,
      key: 'failures',
    },
  };
});
afterAll(() => void site.close());

async function readOverRest(list: List): Promise<unknown[]> {
  const { path, key } = list;
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '100', ...placeOf(cursor, list) });
    const page = (await client.call('GET', `${path}?${query}`)).json as Page;
    seen.push(...(page[key] as unknown[]));
    cursor = cursorOf(page, list);
  } while (cursor !== undefined);
  return seen;
}

async function readOverMcp(tool: string, list: List): Promise<{ seen: unknown[]; reads: number }> {
  const { args, key } = list;
  const seen: unknown[] = [];
  let cursor: string | undefined;
  let reads = 0;
  do {
    const given = { ...args, max_characters: MAX_CHARACTERS, ...placeOf(cursor, list) };
    const { structuredContent } = await rpc('tools/call', { name: tool, arguments: given });
    const page = (structuredContent as { result: Page }).result;
    expect(JSON.stringify(page).length).toBeLessThanOrEqual(MAX_CHARACTERS);
    seen.push(...(page[key] as unknown[]));
    cursor = cursorOf(page, list);
    reads += 1;
  } while (cursor !== undefined);
  return { seen, reads };
}

test('every tool that gives a list page by page is read to its end in small answers, as over REST', async () => {
  const { tools } = (await rpc('tools/list', {})) as {
    tools: { name: string; inputSchema: { properties?: object } }[];
  };
  const paged = tools
    .filter(({ inputSchema }) => 'limit' in (inputSchema.properties ?? {}))
    .map(({ name }) => name);
  expect(Object.keys(lists).toSorted()).toEqual(paged.toSorted());
  for (const [tool, list] of Object.entries(lists)) {
    const whole = await readOverRest(list);
    expect(whole.length, tool).toBeGreaterThan(2);
    const { seen, reads } = await readOverMcp(tool, list);
    expect(seen, tool).toEqual(whole);
    // Records are few, and may fit at once.
    expect(reads, tool).toBeGreaterThan(tool.startsWith('list_') ? 0 : 1);
  }
});
