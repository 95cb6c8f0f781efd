import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';
import { findTestData } from '../test-data.mjs';

const PAGES = findTestData('pages');
const NAMES = ['rd_citylab-1', 'rd_v8-blog', 'rd_aclu'];

interface Outline {
  headings: { text: string; selector: string | null }[];
  blocks: { field: unknown; count: number }[];
}

describe.skipIf(PAGES.isMissing)('an agent with nothing but MCP', { meta: PAGES.meta }, () => {
  const system = useSystem();
  let site: Server;
  let origin: string;
  let client: Client;

  beforeAll(async () => {
    site = createServer(async (request, response) => {
      const name = NAMES.find((known) => request.url === `/${known}`);
      if (name === undefined) response.writeHead(404).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(await readFile(join(PAGES.path, `${name}.html`)));
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    client = await system.client();
  });
  afterAll(() => void site.close());

  async function use<T>(name: string, args: object): Promise<T> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const { text } = await client.call('POST', '/mcp?tools=default,manage', body, {
      headers: { accept: 'application/json, text/event-stream' },
    });
    const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
    const { result } = JSON.parse(json) as {
      result?: { isError?: boolean; structuredContent?: { result: T } };
    };
    if (result?.structuredContent === undefined || result.isError === true)
      throw new Error(`${name}: ${text}`);
    return result.structuredContent.result;
  }

  test('crawls a site, and reads its pages as far as they fit', async () => {
    const start = [`${origin}/${NAMES[0]}`, `${origin}/${NAMES[1]}`];
    const { id } = await use<{ id: string }>('crawl_site', { start, crawl: { scope: 'page' } });
    const ended = await use<{ status: string; counts: { succeeded: number } }>('get_workflow_run', {
      id,
      wait_seconds: 50,
    });
    expect(ended).toMatchObject({ status: 'succeeded', counts: { succeeded: 2 } });
    const urls: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await use<{
        results: { url: string; data: { title: string; markdown: string } }[];
        cursor?: string;
      }>('get_run_results', { id, max_characters: 6_000, ...(cursor === undefined ? {} : { cursor }) });
      expect(JSON.stringify(page).length).toBeLessThanOrEqual(6_200);
      for (const { url, data } of page.results) {
        expect(data.markdown.length).toBeGreaterThan(100);
        urls.push(url);
      }
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(urls).toEqual(start);
    const map = await use<{ id: string }>('map_site', { start, crawl: { scope: 'page' } });
    await use('get_workflow_run', { id: map.id, wait_seconds: 50 });
    const found = await use<{ urls: { url: string }[] }>('get_run_urls', { id: map.id, limit: 5 });
    expect(found.urls.slice(0, 2).map(({ url }) => url)).toEqual(start);
  });

  test('makes parsers for real pages, fills a table and schedules it', async () => {
    const rows = await use<{ id: string }>('create_database', { name: 'pages', kind: 'managed' });
    for (const [index, name] of NAMES.entries()) {
      const url = `${origin}/${name}`;
      const { headings, blocks } = await use<Outline>('read_page', { url });
      const heading = headings.find(({ selector }) => selector !== null);
      const block = blocks[0];
      const schema = { fields: { title: heading?.selector, items: block?.field } };
      const preview = await use<{ data: { title: string; items: unknown[] } }>('preview_parser', {
        schema,
        url,
        max_characters: 200_000,
      });
      expect(preview.data.title.replaceAll(/\s+/g, ' ').slice(0, 100)).toBe(heading?.text.slice(0, 100));
      expect(preview.data.items).toHaveLength(block?.count ?? 0);
      const parser = await use<{ id: string }>('create_parser', { name, schema });
      const target = { type: 'parser', parserId: parser.id };
      const sink = { mode: 'database', database: rows.id, table: `table_${index}` };
      const batch = await use<{ id: string }>('create_batch', { target, sink, urls: [url] });
      await until(
        `the batch of ${name} succeeds`,
        async () => (await use<{ status: string }>('get_batch', { id: batch.id })).status === 'succeeded',
      );
      const found = await use<{ rows: { title: string }[] }>('query_rows', {
        id: rows.id,
        table: sink.table,
        max_characters: 200_000,
      });
      expect(found.rows.map(({ title }) => title)).toEqual([preview.data.title]);
      const cron = { name, description: '', schedule: '0 6 * * *', url, target, sink };
      expect(await use('create_cron', cron)).toMatchObject({ enabled: true, schedule: '0 6 * * *' });
    }
  });
});
