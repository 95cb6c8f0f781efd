import { expect, it } from 'vitest';
import { groupUrls, routesOf, type CrawlUrl } from './url-groups.ts';

function found(path: string, outcome: CrawlUrl['outcome'] = 'fetched'): CrawlUrl {
  return {
    url: new URL(path, 'https://shop.example').href,
    status: 200,
    depth: 1,
    found: 'link',
    found_on: null,
    route: null,
    outcome,
    last_modified: null,
    canonical: null,
    noindex: false,
  };
}

function counts(urls: readonly CrawlUrl[]): Record<string, number> {
  return Object.fromEntries(groupUrls(urls).map(({ pattern, count }) => [pattern, count]));
}

it('groups files side by side, and keeps the few pages of a site apart', () => {
  const paths = [
    '/',
    '/about',
    '/list?page=2',
    '/list?page=3',
    '/list',
    '/p/1',
    '/p/2',
    '/p/3',
    '/p/3/reviews',
  ];
  expect(counts(paths.map((path) => found(path)))).toEqual({
    '/p/*': 3,
    '/list?*': 2,
    '/': 1,
    '/about': 1,
    '/list': 1,
    '/p/3/reviews': 1,
  });
});

it('groups many folders and many files at the top', () => {
  const many = Array.from({ length: 12 }, (_, at) => [`/shop-${at}/info`, `/page-${at}`]).flat();
  expect(counts(many.map((path) => found(path)))).toEqual({ '/*/info': 12, '/*': 12 });
});

it('names the host where there are several, and counts outcomes', () => {
  const urls = [found('https://a.example/x/1'), found('/y', 'failed'), found('/y', null)];
  expect(groupUrls(urls)).toEqual([
    {
      pattern: 'https://shop.example/y',
      count: 2,
      fetched: 0,
      failed: 1,
      examples: ['https://shop.example/y', 'https://shop.example/y'],
    },
    {
      pattern: 'https://a.example/x/1',
      count: 1,
      fetched: 1,
      failed: 0,
      examples: ['https://a.example/x/1'],
    },
  ]);
});

it('makes routes with names of their own, the narrower first', () => {
  expect(
    routesOf({
      '/p/*': 'prs_1',
      '/p/*/reviews': 'prs_2',
      '/about': undefined,
      '/2024/*': 'prs_3',
      'https://b.example/p/*': 'prs_1',
    }),
  ).toEqual([
    { name: 'p', match: 'https://b.example/p/*', target: { type: 'parser', parserId: 'prs_1' } },
    { name: 'p_reviews', match: '/p/*/reviews', target: { type: 'parser', parserId: 'prs_2' } },
    { name: 'pages', match: '/2024/*', target: { type: 'parser', parserId: 'prs_3' } },
    { name: 'p_2', match: '/p/*', target: { type: 'parser', parserId: 'prs_1' } },
  ]);
});
