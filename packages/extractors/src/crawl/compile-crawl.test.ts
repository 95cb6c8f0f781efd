import { AppError, crawlField } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../testing/crawl-rules.ts';
import { checkCrawl, compileCrawl } from './compile-crawl.ts';
import { foldersOf } from './scope.ts';

const PAGE = 'https://shop.example/docs/guide/intro';

/** What becomes of a link, as a page writes it. */
function judgeLink(rules: ReturnType<typeof rulesOf>, written: string, base = PAGE): string {
  const address = rules.normalise(written, base);
  return address === null ? 'no page' : rules.judge(address);
}

describe('scopes', () => {
  it.each([
    ['page', 'https://shop.example/docs/guide/intro#part', 'ok'],
    ['page', 'https://shop.example/docs/guide/other', 'out_of_scope'],
    ['path', 'other', 'out_of_scope'],
    ['path', 'intro/deeper/page', 'ok'],
    ['path', 'http://shop.example/docs/guide/intro/', 'ok'],
    ['path', 'intro?page=2', 'ok'],
    ['path', '../', 'out_of_scope'],
    ['path', '/docs/guide', 'out_of_scope'],
    ['path', '/docs/guide/intro-old', 'out_of_scope'],
    ['path', '/docs/guide/introduction/', 'out_of_scope'],
    ['host', '/', 'ok'],
    ['host', 'http://shop.example/x', 'ok'],
    ['host', 'https://www.shop.example/', 'out_of_scope'],
    ['host', 'https://shop.example:8443/', 'out_of_scope'],
    ['site', 'https://www.shop.example/', 'ok'],
    ['site', 'http://a.b.shop.example:8080/', 'ok'],
    ['site', 'https://shop2.example/', 'out_of_scope'],
  ] as const)('%s: %s is %s', (scope, written, verdict) => {
    expect(judgeLink(rulesOf(PAGE, { scope }), written)).toBe(verdict);
  });

  it('takes the site by the public suffix list, also below suffixes of companies', () => {
    const site = { scope: 'site' } as const;
    const uk = rulesOf('https://www.shop.co.uk/', site);
    expect(judgeLink(uk, 'https://blog.shop.co.uk/')).toBe('ok');
    expect(judgeLink(uk, 'https://other.co.uk/')).toBe('out_of_scope');
    const pages = rulesOf('https://me.github.io/', site);
    expect(judgeLink(pages, 'https://www.me.github.io/')).toBe('ok');
    expect(judgeLink(pages, 'https://you.github.io/')).toBe('out_of_scope');
    expect(judgeLink(pages, 'https://github.io/')).toBe('out_of_scope');
  });

  it.each(['http://127.0.0.1:3000/', 'http://[::1]:3000/', 'http://localhost:3000/', 'https://co.uk/'])(
    'takes a host without a registrable domain as a site by itself: %s',
    (start) => {
      const rules = rulesOf(start, { scope: 'site' });
      expect(judgeLink(rules, '/x', start)).toBe('ok');
      for (const other of ['http://127.0.0.1:3001/', 'http://127.0.0.2:3000/', 'http://x.localhost:3000/']) {
        expect(judgeLink(rules, other)).toBe('out_of_scope');
      }
    },
  );

  it.each([
    ['/docs', ['/docs', '/docs/', '/docs?a=1', '/docs/a/b'], ['/', '/docs-old', '/docs-old/a', '/doc']],
    ['/docs/', ['/docs', '/docs/', '/docs/a'], ['/', '/docs-old']],
    ['/docs/index.html', ['/docs', '/docs/', '/docs/other.html', '/docs/a/b'], ['/', '/docs-old/index.html']],
    ['/index.html', ['/', '/a', '/a/b.html'], []],
    ['/', ['/', '/a', '/a/b'], []],
    ['/v1.2/', ['/v1.2/', '/v1.2/a'], ['/v1.3/', '/']],
  ])('path: the folder of %s is what it names and what is below it', (path, within, outside) => {
    const start = `https://shop.example${path}`;
    const rules = rulesOf(start, { scope: 'path' });
    for (const link of within) expect(judgeLink(rules, link, start), link).toBe('ok');
    for (const link of outside) expect(judgeLink(rules, link, start), link).toBe('out_of_scope');
  });

  it('names the folders of a path, each once', () => {
    const start = [
      'https://a.example/docs',
      'https://a.example/docs/',
      'https://a.example/b/c.html',
      'https://b.example/',
    ];
    expect(foldersOf(start)).toEqual([
      'https://a.example/docs/',
      'https://a.example/b/',
      'https://b.example/',
    ]);
  });

  it('joins the scopes of all start pages', () => {
    const rules = rulesOf(['https://a.example/x/', 'https://a.example/y/z.html', 'https://b.example/'], {
      scope: 'path',
    });
    expect(judgeLink(rules, 'https://a.example/y/1')).toBe('ok');
    expect(judgeLink(rules, 'https://a.example/z/1')).toBe('out_of_scope');
    expect(judgeLink(rules, 'https://b.example/z/1')).toBe('ok');
  });
});

/** Ways out of https://shop.example/docs/guide/, as hostile pages write them. */
const ATTACKS: readonly string[] = [
  // Other hosts that look like it.
  'https://evil.example/',
  'https://shop.example.evil.example/docs/guide/',
  'https://evilshop.example/docs/guide/',
  'https://shop.exampl/docs/guide/',
  'https://shop-example/docs/guide/',
  'https://shop.example./docs/guide/',
  'https://sub.shop.example/docs/guide/',
  'https://ѕhop.example/docs/guide/',
  'https://shop%2eexample.evil.example/docs/guide/',
  'https://evil.example%2fshop.example/docs/guide/',
  'https://evil.example/https://shop.example/docs/guide/',
  'https://evil.example/?https://shop.example/docs/guide/',
  'https://evil.example/#https://shop.example/docs/guide/',
  'https://evil.example?shop.example/docs/guide/',
  'https://evil.example#@shop.example/docs/guide/',
  // User information in place of the host.
  'https://shop.example@evil.example/docs/guide/',
  'https://shop.example:443@evil.example/docs/guide/',
  'https://shop.example%40evil.example/docs/guide/',
  'https://evil.example@shop.example/docs/guide/',
  'https://shop.example\\@evil.example/docs/guide/',
  'https://evil.example\\@shop.example/docs/guide/',
  // Without a scheme, with other slashes, with characters that browsers drop.
  '//evil.example/docs/guide/',
  '///evil.example/docs/guide/',
  '/\\evil.example/docs/guide/',
  '\\\\evil.example/docs/guide/',
  '\\/evil.example/docs/guide/',
  'https:\\\\evil.example/docs/guide/',
  'https:////evil.example/docs/guide/',
  'http:evil.example/docs/guide/',
  '/\t/evil.example/docs/guide/',
  '/\n/evil.example/docs/guide/',
  'ht\ntps://evil.example/docs/guide/',
  '\0https://evil.example/docs/guide/',
  ' //evil.example/docs/guide/',
  'https://evil.example/docs/guide/',
  'https://ⓔvil.example/docs/guide/',
  'https://shop。evil.example/docs/guide/',
  // Other ports, addresses of machines, other schemes.
  'https://shop.example:8443/docs/guide/',
  'http://shop.example:443/docs/guide/',
  'https://shop.example:0/docs/guide/',
  'http://127.0.0.1/docs/guide/',
  'http://2130706433/docs/guide/',
  'http://0x7f.1/docs/guide/',
  'http://0177.0.0.1/docs/guide/',
  'http://[::ffff:127.0.0.1]/docs/guide/',
  'http://169.254.169.254/latest/meta-data/',
  'javascript:location="https://shop.example/docs/guide/"',
  'data:text/html,<a href=https://shop.example/docs/guide/>',
  'blob:https://shop.example/docs/guide/1',
  'view-source:https://shop.example/docs/guide/',
  'file:///docs/guide/',
  'ftp://shop.example/docs/guide/',
  'ws://shop.example/docs/guide/',
  // Out of the folder.
  '../admin',
  '..',
  '/docs/guide/../admin',
  '/docs/guide/..\\admin',
  '/docs/guide/%2e%2e/admin',
  '/docs/guide/.%2E/admin',
  '/docs/guide/..%2fadmin',
  '/docs/guide/%2e%2e%2fadmin',
  '/docs/guide/..%5cadmin',
  '/docs/guide/..%255cadmin',
  '/docs/guide/%252e%252e%252fadmin',
  '/docs/guide/%25252e%25252e/admin',
  '/docs/guide/..;/admin',
  '/docs/guide/..;x=1/admin',
  '/docs/guide/..%3bx/admin',
  '/docs/guide/.\t./admin',
  '/docs%2fguide/x',
  '/Docs/guide/x',
  '//docs/guide/x',
  '/docs//guide/x',
  '/x?/docs/guide/',
  '/x#/docs/guide/',
];

describe('attacks on the scope', () => {
  it(`knows ${ATTACKS.length} of them`, () => {
    expect(new Set(ATTACKS).size).toBeGreaterThan(60);
  });

  it.each(ATTACKS)('is not led out by %j', (written) => {
    expect(judgeLink(rulesOf(PAGE, { scope: 'path' }), written)).not.toBe('ok');
  });

  it.each(ATTACKS)('nor let in by include: %j', (written) => {
    const include = ['*', '/docs/guide/*', 'https://shop.example/docs/guide/*', 'https://evil.example/*'];
    expect(judgeLink(rulesOf(PAGE, { scope: 'path', include }), written)).not.toBe('ok');
  });

  it.each(ATTACKS)('stays on the site with %j', (written) => {
    const rules = rulesOf(PAGE, { scope: 'site' });
    const address = rules.normalise(written, PAGE);
    if (address === null || rules.judge(address) !== 'ok') return;
    expect(new URL(address).hostname).toMatch(/^(?:[^.]+\.)*shop\.example$/);
  });

  it.each(['/admin', '/%61dmin', '/docs/..%2fadmin', '/x/..;/admin', '/./admin', '/docs/%2e%2e/admin'])(
    'does not let %s get round exclude',
    (written) => {
      expect(judgeLink(rulesOf(PAGE, { exclude: ['/admin*'] }), written)).toBe('excluded');
    },
  );
});

describe('patterns', () => {
  it.each([
    ['/product/*', 'https://shop.example/product/1?x=2', true],
    ['/product/*', 'https://shop.example/en/product/1', false],
    ['/product', 'https://shop.example/product?x', false],
    ['/list?page=*', 'https://shop.example/list?page=2', true],
    ['*.pdf', 'https://shop.example/a/b.pdf', true],
    ['*.pdf', 'https://shop.example/a/b.pdf?x', false],
    ['https://shop.example/*', 'http://shop.example/x', true],
    ['http://*.shop.example/*', 'https://de.shop.example/x', true],
    ['http://*.shop.example/*', 'https://shop.example/x', false],
    ['https://shop.example', 'https://shop.example/', true],
    ['HTTPS://Shop.Example:443/A*', 'https://shop.example/Ab', true],
    ['https://bücher.example/*', 'https://xn--bcher-kva.example/x', true],
    ['https://*.bücher.example/*', 'https://de.xn--bcher-kva.example/x', true],
    ['/café/*', 'https://shop.example/caf%c3%a9/1', true],
    ['/caf%c3%a9/*', 'https://shop.example/café/1', true],
    ['/a b?c=é', 'https://shop.example/a%20b?c=é', true],
    ["/x'?y='", "https://shop.example/x'?y='", true],
    ['/a.b', 'https://shop.example/aXb', false],
    ['/Product/*', 'https://shop.example/product/1', false],
  ])('%s and %s: %s', (pattern, address, fits) => {
    const rules = rulesOf(address, {}, [{ match: pattern }]);
    expect(rules.routeOf(rules.normalise(address) ?? '')).toBe(fits ? 0 : null);
  });

  it('lets exclude win over include, and start pages over both', () => {
    const rules = rulesOf('https://shop.example/old/', {
      include: ['/product/*', '/list*'],
      exclude: ['*sort=*', '/old/*'],
    });
    expect(rules.judge('https://shop.example/product/1')).toBe('ok');
    expect(rules.judge('https://shop.example/product/1?sort=price')).toBe('excluded');
    expect(rules.judge('https://shop.example/about')).toBe('excluded');
    expect(rules.judge('https://shop.example/old/')).toBe('ok');
    expect(rules.judge('https://shop.example/old/1')).toBe('excluded');
    expect(rules.judge('https://other.example/product/1')).toBe('out_of_scope');
  });

  it('gives a page to the first route that fits', () => {
    const rules = rulesOf('https://shop.example/', {}, [
      { match: ['/p/*', '/product/*'], follow: false },
      { match: '/product*' },
    ]);
    expect(rules.routeOf('https://shop.example/product/1')).toBe(0);
    expect(rules.routeOf('https://shop.example/products')).toBe(1);
    expect(rules.routeOf('https://shop.example/')).toBe(null);
    expect([rules.follows(0), rules.follows(1), rules.follows(null)]).toEqual([false, true, true]);
  });

  it('follows nothing without links as a source', () => {
    const rules = rulesOf('https://shop.example/', { sources: { links: false } }, [{ match: '/p/*' }]);
    expect([rules.follows(0), rules.follows(null)]).toEqual([false, false]);
  });
});

describe('checkCrawl', () => {
  it('names each faulty start address, feed and selector', () => {
    const crawl = crawlField.parse({
      next: ['a.next', 'a['],
      sources: { feeds: ['/feed', 'https://shop.example/feed'] },
    });
    const start = ['https://shop.example/', 'ftp://shop.example/'];
    const reason = 'is not an address of http or https with at most 2048 characters';
    expect(checkCrawl({ start, crawl })).toEqual([
      { path: 'start[1]', reason },
      { path: 'crawl.sources.feeds[0]', reason },
      { path: 'crawl.next[1]', reason: expect.any(String), column: expect.any(Number) },
    ]);
    expect(() => compileCrawl({ start, crawl, routes: [] })).toThrow(AppError);
  });

  it('refuses patterns that would fit nothing', () => {
    expect(crawlField.safeParse({ include: ['product/*'] }).error?.issues).toMatchObject([
      { path: ['include', 0], message: 'must start with / (a path), * or http, as /product/* does' },
    ]);
  });
});
