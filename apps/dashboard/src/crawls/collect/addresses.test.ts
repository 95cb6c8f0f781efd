import { expect, test } from 'vitest';
import { countPages, fitsPattern, pagesOf } from './addresses.ts';

test.each([
  ['/product/*', 'https://shop.example/product/1?a=2', true],
  ['/product/*', 'https://shop.example/products', false],
  ['/about', 'https://shop.example/about', true],
  ['/about', 'https://shop.example/about?x', false],
  ['/', 'https://shop.example/', true],
  ['/*/p/*', 'https://shop.example/a/p/1', true],
  ['/*a', 'https://shop.example/', false],
  ['/a*a', 'https://shop.example/a', false],
  ['https://b.example/*', 'https://b.example/x', true],
  ['https://b.example/*', 'https://a.example/x', false],
  ['/item?*', 'https://shop.example/item?n=1', true],
])('%s and %s: %s', (pattern, url, fits) => {
  expect(fitsPattern(pattern, url)).toBe(fits);
});

test('a collection reads pages, and neither failures nor what is no page of the crawl', () => {
  const given = {
    status: 200,
    depth: 1,
    found: 'link',
    found_on: null,
    route: null,
    noindex: false,
  } as const;
  const at = (path: string, outcome: 'fetched' | 'failed' | 'duplicate' | null) => ({
    ...given,
    url: `https://shop.example${path}`,
    outcome,
    last_modified: null,
    canonical: null,
  });
  const urls = [at('/p/1', 'fetched'), at('/p/2', 'failed'), at('/p/3', 'duplicate'), at('/p/4', null)];
  expect(pagesOf(urls, '/p/*')).toEqual(['https://shop.example/p/1', 'https://shop.example/p/4']);
  expect(countPages({ count: 4, outcomes: { fetched: 1, failed: 1, duplicate: 1 } })).toBe(2);
});
