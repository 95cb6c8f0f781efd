import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createUrlTree, type CrawlUrl, type UrlNode } from './url-tree.ts';

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

function treeOf(urls: readonly CrawlUrl[]): UrlNode[] {
  const tree = createUrlTree();
  tree.add(urls);
  return tree.read('largest');
}

function kindsOf(nodes: readonly UrlNode[]): [string, number][] {
  return nodes.flatMap(({ pattern, count, children }) =>
    children.length === 0 ? [[pattern, count]] : kindsOf(children),
  );
}

function counts(urls: readonly CrawlUrl[]): Record<string, number> {
  return Object.fromEntries(kindsOf(treeOf(urls)));
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

it('shows folders with what is in them, and gives a route to each whose pattern is its own', () => {
  const paths = ['/docs/a', '/docs/b', '/docs/c', '/docs/c/d', '/blog/1', '/blog/2/3'];
  const [docs, blog] = treeOf(paths.map((path) => found(path)));
  expect(docs).toMatchObject({
    pattern: '/docs/',
    isRoute: false,
    count: 4,
    children: [{ pattern: '/docs/*', isRoute: true, count: 3 }, { pattern: '/docs/c/d' }],
  });
  expect(blog).toMatchObject({ pattern: '/blog/*', isRoute: true, count: 2 });
});

it('names the host where there are several, and counts outcomes', () => {
  const urls = [found('https://a.example/x/1'), found('/y', 'failed'), found('/y', null)];
  expect(treeOf(urls)).toEqual([
    {
      pattern: 'https://shop.example/y',
      isRoute: true,
      count: 2,
      outcomes: { failed: 1 },
      examples: ['https://shop.example/y', 'https://shop.example/y'],
      children: [],
    },
    {
      pattern: 'https://a.example/x/1',
      isRoute: true,
      count: 1,
      outcomes: { fetched: 1 },
      examples: ['https://a.example/x/1'],
      children: [],
    },
  ]);
});

it('makes the same kinds in whatever order addresses come, and holds few of many', () => {
  const segment = fc.constantFrom(...Array.from({ length: 14 }, (_, at) => `s${at}`));
  const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
  fc.assert(
    fc.property(fc.array(path, { maxLength: 200 }), fc.infiniteStream(fc.nat()), (paths, keys) => {
      const shuffled = paths
        .map((one) => [keys.next().value, one] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, one]) => one);
      expect(counts(shuffled.map((one) => found(one)))).toEqual(counts(paths.map((one) => found(one))));
    }),
  );
  const many = Array.from({ length: 50_000 }, (_, at) => found(`/p/${at % 700}/${at}?v=${at}`));
  expect(kindsOf(treeOf(many))).toEqual([['/p/*/*', 50_000]]);
});
