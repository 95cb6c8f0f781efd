import { PageRejected, parseHtml } from '@gleaner/html';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../testing/crawl-rules.ts';
import { HOSTILE_NAMES, hostilePage } from '../testing/hostile-pages.ts';
import { LINK_LIMITS, readLinks, type FetchedAddress, type PageLinks } from './read-links.ts';

const URL_OF_PAGE = 'https://shop.example/list';

function linksOf(html: string, rules = rulesOf(URL_OF_PAGE), page: Partial<FetchedAddress> = {}): PageLinks {
  return readLinks(parseHtml(html), { url: URL_OF_PAGE, finalUrl: page.url ?? URL_OF_PAGE, ...page }, rules);
}

describe('readLinks', () => {
  it('reads a, area, link rel=next and links of SVG in the order of the document, each once', () => {
    const html = `
      <link rel=stylesheet href=/x.css><link rel="prefetch NEXT" href=?page=2>
      <a href=/one#top>1</a><map><area href="two"></map><a href="/one?utm_source=x">1</a><a name=x>no</a>
      <svg><a xlink:href=/three></a><a href=/four></a></svg>
      <noscript><a href=/five></a></noscript><template><a href=/never></a></template>
      <!-- <a href=/never> --><script>"<a href=/never>"</script>`;
    expect(linksOf(html).lines).toEqual([
      'l+--https://shop.example/list?page=2',
      'l+--https://shop.example/one',
      'l+--https://shop.example/two',
      'l+--https://shop.example/three',
      'l+--https://shop.example/four',
      'l+--https://shop.example/five',
    ]);
  });

  it.each([
    ['<iframe src="/part"></iframe>', ['l+--https://shop.example/part']],
    ['<iframe src="/part"></iframe> text <gleaner-frame></gleaner-frame>', []],
    [
      '<iframe src="/part"></iframe><gleaner-frame src="/part"><a href="/in">i</a></gleaner-frame>',
      ['l+--https://shop.example/in'],
    ],
    [
      '<frameset><frame src="menu.html"><frame src="/list"><frame src=" "></frameset>',
      ['l+--https://shop.example/menu.html'],
    ],
    [
      '<iframe src="about:blank"></iframe><iframe src="https://other.example/"></iframe>',
      ['lo--https://other.example/'],
    ],
    ['<iframe srcdoc="x"></iframe><iframe src></iframe>', []],
  ])('reads frames whose page does not stand in this one: %s', (html, lines) => {
    expect(linksOf(html).lines).toEqual(lines);
  });

  it('leaves out what is no page, and the page itself', () => {
    const html = [
      '',
      '#x',
      'list',
      ' JavaScript:x()',
      'mailto:a@b.example',
      'tel:1',
      'data:,x',
      'http://',
      'ftp://x',
    ]
      .map((href) => `<a href="${href}"></a>`)
      .join('');
    expect(linksOf(html).lines).toEqual([]);
  });

  it('says of each link what may become of it', () => {
    const rules = rulesOf(URL_OF_PAGE, { exclude: ['/login*'] }, [
      { match: '/list*' },
      { match: '/product/*' },
    ]);
    const html = '<a href=/product/1></a><a href=/login?x></a><a href=//other.example></a><a href=/y></a>';
    expect(linksOf(html, rules).lines).toEqual([
      'l+01https://shop.example/product/1',
      'lx--https://shop.example/login?x',
      'lo--https://other.example/',
      'l+--https://shop.example/y',
    ]);
  });

  it('resolves links against the redirected address and <base>', () => {
    const finalUrl = 'https://shop.example/de/list';
    expect(linksOf('<a href=x></a>', undefined, { finalUrl }).lines).toEqual([
      'l+--https://shop.example/de/x',
    ]);
    expect(linksOf('<base href=/a/b/><a href=x></a>', undefined, { finalUrl }).lines).toEqual([
      'l+--https://shop.example/a/b/x',
    ]);
    expect(linksOf('<base href=//evil.example/><a href=x></a><a href=/y></a>').lines).toEqual([
      'lo--https://evil.example/x',
      'lo--https://evil.example/y',
    ]);
    expect(linksOf('<base href="javascript:1"><a href=x></a>').lines).toEqual(['l+--https://shop.example/x']);
  });

  it('marks links of next, also inside of what a selector finds, wherever else they stand', () => {
    const rules = rulesOf(URL_OF_PAGE, { next: ['.pages', 'a.more', '[rel~=next]'] });
    const html = `
      <link rel=next href=?page=5>
      <a href=?page=3></a><a href=/x></a>
      <ul class=pages><li><a href=?page=2></a><li><a class=more href=?page=3></a></ul>
      <a href=/y></a><a class=more href=?page=4></a><a href=?page=2></a>`;
    expect(linksOf(html, rules).lines).toEqual([
      'n+--https://shop.example/list?page=5',
      'n+--https://shop.example/list?page=3',
      'l+--https://shop.example/x',
      'n+--https://shop.example/list?page=2',
      'l+--https://shop.example/y',
      'n+--https://shop.example/list?page=4',
    ]);
  });

  it('reads no links where the route or the crawl says so, but the identity', () => {
    const html = '<link rel=canonical href=/List/><meta name=robots content=noindex><a href=/x></a>';
    const routes = rulesOf(URL_OF_PAGE, {}, [{ match: '/list*', follow: false }]);
    const sources = rulesOf(URL_OF_PAGE, { sources: { links: false } });
    for (const rules of [routes, sources]) {
      expect(linksOf(html, rules)).toEqual({
        identity: 'https://shop.example/List/',
        canonical: 'https://shop.example/List/',
        noindex: true,
        nofollow: false,
        lines: [],
        leftOut: 0,
      });
    }
  });

  it('obeys nofollow only when it is asked to', () => {
    const link = '<a href=/x rel="ugc NoFollow"></a><a href=/y></a>';
    const meta = '<meta name=Robots content="max-snippet:1, NOFOLLOW">';
    const polite = rulesOf(URL_OF_PAGE, { nofollow: true });
    expect(linksOf(link).lines).toHaveLength(2);
    expect(linksOf(link, polite).lines).toEqual(['l+--https://shop.example/y']);
    expect(linksOf(meta + link)).toMatchObject({ nofollow: true, noindex: false, lines: { length: 2 } });
    expect(linksOf(meta + link, polite).lines).toEqual([]);
    expect(linksOf('<meta name=robots content=none>')).toMatchObject({ nofollow: true, noindex: true });
    expect(linksOf('<meta name=googlebot content=noindex>')).toMatchObject({ noindex: false });
  });
});

describe('the identity of a page', () => {
  it.each([
    ['/list', '/list?page=2', true],
    ['/list/', '/list', true],
    ['/LIST', '/list', true],
    ['/list/', '/list/index.html', true],
    ['http://www.shop.example/list', '/list', true],
    ['https://shop.example/', '/index.php?x', true],
    ['/', '/list', false],
    ['/list', '/list/2', false],
    ['https://other.example/list', '/list', false],
    ['https://de.shop.example/list', '/list', false],
    ['https://shop.example:8443/list', '/list', false],
  ])('believes the canonical address %s of %s: %s', (canonical, path, isBelieved) => {
    const own = `https://shop.example${path}`;
    const links = linksOf(`<link rel=canonical href="${canonical}">`, undefined, { url: own });
    const address = new URL(canonical, own).href;
    expect(links.canonical).toBe(address);
    expect(links.identity).toBe(isBelieved ? address : own);
  });

  it.each([
    ['</List>; rel="canonical"', 'https://shop.example/List'],
    ['<https://shop.example/LIST>;rel=canonical', 'https://shop.example/LIST'],
    ['</a>; rel="next", </List>; title="x"; rel="alternate Canonical"', 'https://shop.example/List'],
    ['</List>; rel="next"', null],
    ['not a link; rel=canonical', null],
    ['<'.repeat(20_000), null],
  ])('is read from the header Link: %.60s', (link, canonical) => {
    expect(linksOf('<base href=/base/>', undefined, { link }).canonical).toBe(canonical);
  });

  it('is read from the document before the header', () => {
    const links = linksOf('<link rel=canonical href=/LIST>', undefined, { link: '</List>; rel=canonical' });
    expect(links.canonical).toBe('https://shop.example/LIST');
  });

  it('is the redirected address, normalised', () => {
    const page = { finalUrl: 'https://shop.example/x?gclid=1#y' };
    expect(linksOf('', undefined, page)).toMatchObject({
      identity: 'https://shop.example/x',
      canonical: null,
    });
  });

  it('is the address of the task where the page gives none that can be read', () => {
    const page = { finalUrl: `https://shop.example/${'x'.repeat(4_000)}` };
    expect(linksOf('<link rel=canonical href="http://">', undefined, page)).toMatchObject({
      identity: URL_OF_PAGE,
      canonical: null,
    });
  });
});

/** How often the rules normalise and judge an address while a page is read. */
function countingRules(rules = rulesOf(URL_OF_PAGE)) {
  const counts = { normalise: 0, judge: 0 };
  const counting = {
    ...rules,
    normalise: (url: string | URL, base?: string) => {
      counts.normalise += 1;
      return rules.normalise(url, base);
    },
    judge: (url: string) => {
      counts.judge += 1;
      return rules.judge(url);
    },
  };
  return { counts, rules: counting };
}

describe('hostile pages', () => {
  const repeat = (count: number, link: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => link(index)).join('');

  it('reads a bounded number of links, and says how many were left out', () => {
    const { counts, rules } = countingRules();
    const links = linksOf(
      repeat(100_000, (index) => `<a href=/p${index}>`),
      rules,
    );
    expect(links.lines).toHaveLength(LINK_LIMITS.links);
    expect(links.leftOut).toBe(90_000);
    expect(counts.judge).toBe(LINK_LIMITS.links);
    expect(counts.normalise).toBeLessThanOrEqual(LINK_LIMITS.elements + 1);
  });

  it('judges an address once, however often a page names it', () => {
    const { counts, rules } = countingRules();
    linksOf(
      repeat(20_000, (index) => `<a href="/p${index % 10}#${index}">`),
      rules,
    );
    expect(counts).toEqual({ normalise: 20_001, judge: 10 });
  });

  it('bounds what a long <base> makes of short links', () => {
    const html = `<base href="/${'x'.repeat(2_000)}/">${repeat(10_000, (index) => `<a href=${index}>`)}`;
    const { lines, leftOut } = linksOf(html);
    expect(lines.join('\n').length).toBeLessThan(LINK_LIMITS.characters + 10 * LINK_LIMITS.links);
    expect(lines.length + leftOut).toBe(10_000);
  });

  it('writes one line for each link, whatever the address holds', () => {
    const html = '<a href="/a\nb\tc&#10;&#13;&#0;&#x2028;|">x</a>';
    const { lines } = linksOf(html);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^l\+--https:\/\/shop\.example\/[!-~]+$/);
  });

  it.each(HOSTILE_NAMES)('reads links before %s', (name) => {
    const rules = rulesOf(URL_OF_PAGE, { next: ['li ~ li a', '*:has(~ b u) > a'], nofollow: true });
    const junk = hostilePage(name, 200_000);
    try {
      const { identity, lines } = linksOf(`<a href=/x></a>${junk}`, rules);
      expect(identity).toBe(URL_OF_PAGE);
      for (const line of lines) expect(line).toMatch(/^[ln][+xo](?:--|\d\d)https?:\/\/[!-~]+$/);
    } catch (error) {
      expect(error).toBeInstanceOf(PageRejected);
    }
  });
});
