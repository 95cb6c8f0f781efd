import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

/**
 * Typical mistakes with the whole answer to each. A change of a text changes mistakes.json: read the new text once as its
 * user would. `{parser}` and the like stand for what the tests make first.
 */
interface Mistake {
  name: string;
  request: {
    method: string;
    path: string;
    body?: unknown;
    /** Text that is sent as it is. */
    raw?: string;
    /** A body of JSON this large. */
    rawBytes?: number;
    /** Files of a form by their name. */
    form?: Record<string, string>;
    /** An empty one is not sent. */
    headers?: Record<string, string>;
    /** `poor` has 20 credits, `small` may have 10 unfinished tasks. */
    account?: 'poor' | 'small';
  };
  status: number;
  answer: unknown;
}

const mistakes = JSON.parse(
  readFileSync(join(import.meta.dirname, 'mistakes.json'), 'utf8'),
) as readonly Mistake[];

const system = useSystem();
let site: Site;
let client: Client;
const others: Partial<Record<'poor' | 'small', { apiKey: string; parser: string }>> = {};
const places = new Map<string, string>();

async function make(by: Client, path: string, body: unknown): Promise<string> {
  const { json } = await by.call('POST', path, body);
  return (json as { id: string }).id;
}

function makeParser(by: Client, name: string, field: unknown): Promise<string> {
  return make(by, '/v1/parsers', { name, schema: { fields: { [name]: field } } });
}

function finish(id: string): Promise<void> {
  return until(`batch ${id} succeeds`, async () => {
    const { json } = await client.call('GET', `/v1/batches/${id}`);
    return (json as { status: string }).status === 'succeeded';
  });
}

beforeAll(async () => {
  site = await startSite();
  client = await system.client();
  const url = `${site.url}/product`;
  const parserId = await makeParser(client, 'title', 'h1');
  const target = { type: 'parser', parserId };
  const databaseId = await make(client, '/v1/databases', { name: 'rows', kind: 'managed' });
  const sink = { mode: 'database', database: databaseId, table: 'products' };
  const used = await makeParser(client, 'used', 'h1');
  places.set('parser', parserId);
  places.set('database', databaseId);
  places.set('used', used);
  places.set('strict', await makeParser(client, 'title', { css: 'h1', required: true }));
  places.set('number', await makeParser(client, 'price', { css: 'h1', type: 'number', required: true }));
  places.set('job', await make(client, '/v1/jobs', { target, url }));
  places.set('batch', await make(client, '/v1/batches', { target, urls: [url] }));
  places.set('sinkbatch', await make(client, '/v1/batches', { target, urls: [url], sink }));
  const cron = {
    name: 'nightly',
    description: '',
    // Not due by itself while the tests run.
    schedule: '0 0 29 2 *',
    target: { type: 'parser', parserId: used },
    url,
    sink,
  };
  places.set('cron', await make(client, '/v1/crons', cron));
  places.set('siteurl', site.url);
  places.set('site', encodeURIComponent(site.url));
  places.set('key', client.apiKey);
  const first = { name: 'a', schema: { fields: { a: 'h1' } } };
  await client.call('POST', '/v1/parsers', first, { headers: { 'idempotency-key': 'used' } });
  for (const [name, limits] of [
    ['poor', { credits: 20 }],
    ['small', { pendingLimit: 10 }],
  ] as const) {
    const other = await system.client(limits);
    others[name] = { apiKey: other.apiKey, parser: await makeParser(other, 'title', 'h1') };
  }
  await finish(places.get('batch') ?? '');
  await finish(places.get('sinkbatch') ?? '');
});
afterAll(() => site.close());

function fill(text: string, own: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => own.get(name) ?? all);
}

/** The body and its type. */
function encode({ request }: Mistake, own: ReadonlyMap<string, string>): [string, string] | undefined {
  const { raw, rawBytes, form, body } = request;
  if (raw !== undefined) return [raw, 'application/json'];
  if (rawBytes !== undefined) return [JSON.stringify({ name: 'x'.repeat(rawBytes) }), 'application/json'];
  if (form !== undefined) {
    const parts = Object.entries(form).map(
      ([name, content]) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n${fill(content, own)}\r\n`,
    );
    return [`${parts.join('')}--b--\r\n`, 'multipart/form-data; boundary=b'];
  }
  return body === undefined ? undefined : [fill(JSON.stringify(body), own), 'application/json'];
}

function send(mistake: Mistake): Promise<{ status: number | undefined; text: string }> {
  const { request } = mistake;
  const account = request.account === undefined ? undefined : others[request.account];
  const own = new Map(places);
  if (account) own.set('parser', account.parser);
  const encoded = encode(mistake, own);
  const headers: Record<string, string> = { 'x-api-key': account?.apiKey ?? client.apiKey };
  if (encoded) {
    headers['content-type'] = encoded[1];
    headers['content-length'] = String(Buffer.byteLength(encoded[0]));
  }
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value === '') delete headers[name];
    else headers[name] = fill(value, own);
  }
  const { hostname, port } = new URL(system.baseUrl);
  return new Promise((resolve, reject) => {
    const sending = httpRequest(
      { hostname, port, method: request.method, path: fill(request.path, own), headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      },
    );
    sending.on('error', reject);
    sending.end(encoded?.[0]);
  });
}

test('there are sixty of them at least', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(60);
});

test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))('%s', async (_name, mistake) => {
  const { status, text } = await send(mistake);
  const shown = [...places].reduce(
    (all, [name, value]) => (name === 'site' ? all : all.replaceAll(value, `{${name}}`)),
    text,
  );
  expect({ status, answer: JSON.parse(shown) as unknown }).toEqual({
    status: mistake.status,
    answer: mistake.answer,
  });
});
