import { crawlField, type ParserSchema } from '@gleaner/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createExtractionPool, type ExtractionPool, type LinksRequest, type PoolOptions } from './index.ts';

const URL_OF_PAGE = 'https://shop.example/';
const LINKS: LinksRequest = {
  rulesKey: 'shop',
  rules: {
    start: [URL_OF_PAGE],
    crawl: crawlField.parse({ exclude: ['/login*'] }),
    routes: [{ match: '/p/*', follow: true }],
  },
  address: { url: URL_OF_PAGE, finalUrl: URL_OF_PAGE },
};
const TITLE: ParserSchema = { fields: { title: 'h1' } };
const PRICE: ParserSchema = { fields: { price: { css: '.price', required: true } } };
const HTML = '<h1>Shop</h1><a href=/p/1>1</a><a href=/login>log in</a>';
const READ = {
  identity: URL_OF_PAGE,
  canonical: null,
  noindex: false,
  nofollow: false,
  lines: ['l+00https://shop.example/p/1', 'lx--https://shop.example/login'],
  leftOut: 0,
};

const pools: ExtractionPool[] = [];

function start(options: Partial<PoolOptions> = {}): ExtractionPool {
  const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe('pages of crawls in the extraction pool', () => {
  it('gives links beside the data, with and without the rules in the thread', async () => {
    const pool = start();
    const request = { parserKey: 'a', schema: TITLE, page: { body: HTML } };
    for (const rules of [LINKS, LINKS, { ...LINKS, rulesKey: 'other' }]) {
      expect(await pool.extractJson({ ...request, links: rules })).toMatchObject({
        ok: true,
        data: '{"title":"Shop"}',
        links: READ,
      });
    }
    expect(await pool.extractJson(request)).not.toHaveProperty('links');
  });

  it('gives links of a page whose fields fail, and none of one that is refused', async () => {
    const pool = start();
    const request = { parserKey: 'b', schema: PRICE, links: LINKS };
    expect(await pool.extractJson({ ...request, page: { body: HTML } })).toMatchObject({
      ok: false,
      links: READ,
    });
    const deep = await pool.extractJson({ ...request, page: { body: '<div>'.repeat(5_000) } });
    expect(deep).toMatchObject({ ok: false, failure: { code: 'html_rejected' } });
    expect(deep).not.toHaveProperty('links');
  });

  it('gives links alone', async () => {
    const body = new TextEncoder().encode(HTML);
    expect(await start().readLinks({ ...LINKS, page: { body } })).toEqual({ ok: true, value: READ });
  });

  it('says why the links of a page can’t be read', async () => {
    const pool = start();
    expect(await pool.readLinks({ ...LINKS, page: { body: '<div>'.repeat(5_000) } })).toEqual({
      ok: false,
      detail: expect.stringMatching(/^a page can't be read: /),
    });
  });

  it('reads sources, and ends one that takes too long', async () => {
    const sitemap = (count: number): Uint8Array<ArrayBuffer> =>
      new TextEncoder().encode(`<urlset>${'<url><loc>/p/1</loc></url>'.repeat(count)}</urlset>`);
    const { rulesKey, rules } = LINKS;
    const request = { rulesKey, rules, kind: 'sitemap', url: `${URL_OF_PAGE}sitemap.xml` } as const;
    const pool = start();
    const lines = ['s+00https://shop.example/p/1'];
    expect(await pool.readSource({ ...request, body: sitemap(1) })).toEqual({ lines });
    expect(await pool.readSource({ ...request, body: sitemap(2) })).toEqual({ lines });
    expect(await pool.readSource({ ...request, body: new Uint8Array() })).toEqual({
      lines: [],
      fault: 'is empty',
    });
    const hasty = start({ timeoutMs: 1 });
    expect(await hasty.readSource({ ...request, body: sitemap(500_000) })).toEqual({
      lines: [],
      fault: expect.stringContaining('was stopped'),
    });
  });
});

it('holds the rules and links of any number of large crawls', async () => {
  const pool = start({ maxHeapMb: 192 });
  for (let crawl = 0; crawl < 60; crawl += 1) {
    const path = `${crawl}/${'x'.repeat(40)}`;
    const body = Buffer.from(Array.from({ length: 9_000 }, (_, n) => `<a href=/${n}/${path}>p</a>`).join(''));
    const starts = Array.from({ length: 250 }, (_, n) => `${URL_OF_PAGE}${n}/${path}/${'s'.repeat(1_900)}`);
    const rules = { ...LINKS.rules, start: starts };
    const read = await pool.readLinks({ ...LINKS, rulesKey: `${crawl}`, rules, page: { body } });
    expect({ crawl, ...read }).toMatchObject({ crawl, ok: true });
  }
  expect(pool.stats().deaths).toBe(0);
});
