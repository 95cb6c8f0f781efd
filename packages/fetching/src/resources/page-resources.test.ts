import { afterAll, beforeAll, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { createEgressGuard, parseEgressAllow } from '../egress/index.ts';
import { startTestSite, type TestSite } from '../testing/test-site.ts';
import { createPageResources, type PageResources } from './page-resources.ts';

let site: TestSite;
let inner: TestSite;
let resources: PageResources;
const signal = new AbortController().signal;

beforeAll(async () => {
  inner = await startTestSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/css' }).end('secret'),
  );
  site = await startTestSite(({ url }, response) => {
    const css = { 'content-type': 'text/css; charset=utf-8' };
    if (url === '/style.css') response.writeHead(200, css).end('h1 { color: red }');
    else if (url === '/gzip.css')
      response.writeHead(200, { ...css, 'content-encoding': 'gzip' }).end(gzipSync('h2 {}'));
    else if (url === '/bomb.css')
      response.writeHead(200, { ...css, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
    else if (url === '/large.png')
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(2_000_000));
    else if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>no</p>');
    else if (url === '/inner') response.writeHead(302, { location: `${inner.origin}/x.css` }).end();
    else response.writeHead(404).end();
  });
  const egress = createEgressGuard({ allow: parseEgressAllow(site.host) });
  resources = createPageResources({ egress, deadlineMs: 120_000 });
});
afterAll(async () => {
  await resources.close();
  await site.close();
  await inner.close();
});

async function load(...paths: string[]): Promise<string[]> {
  const loaded = await resources.load(
    'acc',
    paths.map((path) => new URL(path, site.origin).href),
    signal,
  );
  return loaded.map((one) =>
    'reason' in one ? one.reason : `${one.type} ${Buffer.from(one.bytes).toString().slice(0, 20)}`,
  );
}

it('loads style sheets, decodes them, and refuses other types, sizes and answers', async () => {
  const found = await load('/style.css', '/gzip.css', '/page', '/large.png', '/bomb.css', '/missing');
  expect(found.slice(0, 3)).toEqual([
    'text/css h1 { color: red }',
    'text/css h2 {}',
    'text/html is not a style sheet, image or font',
  ]);
  expect(found[3]).toMatch(/larger than/);
  expect(found[4]).toMatch(/larger than/);
  expect(found[5]).toBe('the answer was 404');
});

it('reaches nothing that pages may not be fetched from, also by a redirect', async () => {
  expect(await load(`${inner.origin}/x.css`, '/inner')).toEqual(['target not allowed', 'target not allowed']);
  expect(inner.requests).toEqual([]);
});

it('keeps what it loaded for its owner alone', async () => {
  const url = `${site.origin}/style.css`;
  await resources.load('one', [url], signal);
  const before = site.requests.length;
  await resources.load('one', [url], signal);
  expect(site.requests.length).toBe(before);
  await resources.load('two', [url], signal);
  expect(site.requests.length).toBe(before + 1);
});
