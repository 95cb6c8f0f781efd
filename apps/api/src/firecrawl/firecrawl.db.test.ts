import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createTestAccount } from '@gleaner/core/testing';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openTestMcp, type TestMcp } from '../mcp/testing/test-mcp.ts';
import { batchBody, crawlBody, mapBody, scrapeBody } from './bodies.ts';
import { wildcardsOf } from './wildcards.ts';

const DOCS = join(import.meta.dirname, '../../../../docs/use/firecrawl.md');

let api: TestMcp;
let apiKey: string;

beforeAll(async () => {
  api = await openTestMcp({ firecrawlDoor: true });
  ({ apiKey } = await createTestAccount(api.services, { requestsPerMinute: 100_000 }));
});
afterAll(() => api.close());

async function ask(path: string, body: unknown, { key = apiKey, url = api.url, method = 'POST' } = {}) {
  const response = await fetch(new URL(`/firecrawl/v2${path}`, url), {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as { success?: boolean; error?: string; details?: { field?: string } };
  return { status: response.status, json };
}

test('the door is closed unless the setting opens it', async () => {
  const closed = await openTestMcp();
  const { apiKey: key } = await createTestAccount(closed.services);
  const { status, json } = await ask('/scrape', { url: 'http://a.test/' }, { key, url: closed.url });
  await closed.close();
  expect({ status, error: json.error }).toEqual({ status: 404, error: 'not found' });
});

test('a wrong key, an unknown path, no JSON and an unknown crawl are answered in its shape', async () => {
  const none = 'run_01kam2f5w3x8q9t7v6r4n2h0jd';
  const answers = [
    await ask('/scrape', {}, { key: 'gln_wrong' }),
    await ask('/search', { query: 'x' }),
    await ask('/scrape', 'no object'),
    await ask(`/crawl/${none}`, undefined, { method: 'GET' }),
    await ask(`/crawl/${none}`, undefined, { method: 'DELETE' }),
    await ask(`/crawl/${none}?skip=1`, undefined, { method: 'GET' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 404, 400, 404, 404, 400]);
  expect(answers[0]?.json.error).toMatch(/^invalid or inactive api_key: .* Authorization: Bearer KEY\.$/);
  expect(answers[2]?.json.error).toMatch(/^invalid request: body: /);
  for (const { json } of answers) expect(json).toMatchObject({ success: false, error: expect.any(String) });
});

test('a GET with a body, as n8n sends it, is read without it', async () => {
  const url = new URL('/firecrawl/v2/crawl/run_01kam2f5w3x8q9t7v6r4n2h0jd', api.url);
  const body = JSON.stringify({ integration: 'n8n' });
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const sent = request(url, { method: 'GET', headers }).end(body);
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
  sent.destroy();
  expect(statusCode).toBe(404);
});

const URL_ = { url: 'http://a.test/' };
function json(schema: unknown, more = {}) {
  return { ...URL_, formats: [{ type: 'json', schema, ...more }] };
}

describe('what can’t be done is refused by its name', () => {
  it.each<[string, object, string]>([
    ['/scrape', {}, 'url'],
    ['/scrape', { url: 'ftp://a.test/' }, 'url'],
    ['/scrape', { ...URL_, formats: ['summary'] }, 'formats[0]'],
    ['/scrape', { ...URL_, formats: ['json'] }, 'formats[0]'],
    ['/scrape', json({ type: 'object', properties: {} }), 'formats[0].schema'],
    ['/scrape', json({ fields: { a: { css: 'h1', type: 'no' } } }), 'formats.json.schema.fields.a.type'],
    ['/scrape', json({ fields: { a: 'h1' } }, { prompt: 'the title' }), 'formats[0].prompt'],
    ['/scrape', json({ fields: { a: 'h1::nothing' } }), 'formats.json.schema.fields.a'],
    [
      '/scrape',
      { ...URL_, formats: [{ type: 'screenshot', viewport: { width: 1, height: 1 } }] },
      'formats[0].viewport',
    ],
    ['/scrape', { ...URL_, includeTags: ['main'] }, 'includeTags'],
    ['/scrape', { ...URL_, mobile: true }, 'mobile'],
    ['/scrape', { ...URL_, removeBase64Images: false }, 'removeBase64Images'],
    ['/scrape', { ...URL_, parsers: [] }, 'parsers'],
    ['/scrape', { ...URL_, waitFor: 70_000 }, 'waitFor'],
    ['/scrape', { ...URL_, headers: { Host: 'b.test' } }, 'headers.Host'],
    ['/scrape', { ...URL_, location: { country: 'XX' } }, 'location.country'],
    ['/scrape', { ...URL_, actions: [{ type: 'executeJavascript', script: '1' }] }, 'actions[0].type'],
    ['/scrape', { ...URL_, actions: [{ type: 'write', text: 'x' }] }, 'actions[0]'],
    ['/scrape', { ...URL_, fromat: ['markdown'] }, 'fromat'],
    ['/crawl', { ...URL_, prompt: 'only posts' }, 'prompt'],
    ['/crawl', { ...URL_, allowExternalLinks: true }, 'allowExternalLinks'],
    ['/crawl', { ...URL_, webhook: 'http://a.test/hook' }, 'webhook'],
    ['/crawl', { ...URL_, delay: 1 }, 'delay'],
    ['/crawl', { ...URL_, includePaths: ['^/a', '/(b|c)/'] }, 'includePaths[1]'],
    ['/crawl', { ...URL_, limit: 2_000_000 }, 'limit'],
    ['/crawl', { ...URL_, scrapeOptions: { mobile: true } }, 'scrapeOptions.mobile'],
    ['/crawl', { url: 'http://a.test/docs', allowSubdomains: true }, 'allowSubdomains'],
    ['/batch/scrape', { urls: [] }, 'urls'],
    ['/batch/scrape', { urls: ['no address'], ignoreInvalidURLs: false }, 'urls[0]'],
    ['/batch/scrape', { urls: ['a.test'], appendToId: 'bat_1' }, 'appendToId'],
    [
      '/batch/scrape',
      { urls: ['a.test'], formats: json({ fields: { a: 'h1::x' } }).formats },
      'formats.json.schema.fields.a',
    ],
    ['/map', { ...URL_, search: 'price' }, 'search'],
    ['/map', { ...URL_, limit: 100_001 }, 'limit'],
  ])('%s %j', async (path, body, field) => {
    const { status, json: answer } = await ask(path, body);
    expect({ status, field: answer.details?.field }).toEqual({ status: 400, field });
    expect(answer.error).toContain(field);
  });
});

test('actions, waits and screenshots need a browser, and empty parameters are none', () => {
  const call = (more: object) => scrapeBody.parse({ url: 'a.test', ...more }).call;
  expect(call({ waitFor: 0, actions: [], headers: {}, proxy: 'basic', timeout: null })).toEqual({
    url: 'http://a.test',
    schema: expect.anything(),
  });
  const click = { type: 'click', selector: '#q' };
  const actions = [
    click,
    { type: 'write', text: 'lamp' },
    { type: 'press', key: 'Enter' },
    { type: 'wait', milliseconds: 500 },
  ];
  expect(
    call({
      actions,
      waitFor: 1500,
      timeout: 300_000,
      proxy: 'stealth',
      location: { languages: ['de', 'en'] },
    }),
  ).toMatchObject({
    useBrowser: true,
    waitSeconds: 1.5,
    timeoutSeconds: 120,
    proxy: 'premium',
    headers: { 'Accept-Language': 'de, en' },
    actions: [{ type: { into: '#q', text: 'lamp' } }, { press: 'Enter' }, { wait: 0.5 }],
  });
  expect(call({ formats: ['screenshot@fullPage'] })).toMatchObject({
    useBrowser: true,
    screenshot: { fullPage: true },
  });
});

test('an expression is written as wildcards where they say the same', () => {
  const cases: [string, string[] | undefined][] = [
    ['blog/.*', ['/*blog/*']],
    ['/blog/.*', ['/blog/*', '/*/blog/*']],
    ['blog/*', ['/*blog*']],
    ['^/blog', ['/blog*']],
    ['^/blog$', ['/blog', '/blog?*']],
    ['\\.pdf$', ['/*.pdf', '/*.pdf?*']],
    ['^.*-old|^/x/.*$', ['/*-old*', '/x/*']],
    ['^blog', undefined],
    ['/\\d+', undefined],
    ['a?', undefined],
    ['.+', undefined],
    ['a*b', undefined],
    ['x\\*', undefined],
  ];
  for (const [expression, patterns] of cases)
    expect(wildcardsOf(expression, false), expression).toEqual(patterns);
  expect(wildcardsOf('^https://a\\.test/.*', true)).toEqual(['https://a.test/*']);
  expect(wildcardsOf('page=2$', true)).toEqual(['*page=2']);
});

test('the page of the docs says of each parameter what happens', () => {
  const [, ...sections] = readFileSync(DOCS, 'utf8').split(/^## /m);
  const named = (title: string): string[] => {
    const section = sections.find((one) => one.startsWith(title)) ?? '';
    const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, first = '']) => first);
    return rows.flatMap((first) => [...first.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).toSorted();
  };
  const parametersOf = ({ in: { shape } }: { in: { shape: object } }) => Object.keys(shape).toSorted();
  expect(named('Parameters of pages')).toEqual(parametersOf(scrapeBody));
  expect(named('Parameters of crawls')).toEqual(parametersOf(crawlBody));
  const ofPages = parametersOf(scrapeBody);
  const ofBatches = parametersOf(batchBody).filter((name) => !ofPages.includes(name));
  expect(named('Parameters of batches')).toEqual(ofBatches);
  expect(named('Parameters of maps')).toEqual(parametersOf(mapBody));
});
