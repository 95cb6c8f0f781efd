import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findTestData } from '../../../../test/test-data.mjs';
import { rulesOf } from '../testing/crawl-rules.ts';
import { readSource, type SourceKind, type SourceLinks } from './read-source.ts';
import { SOURCE_LIMITS } from './source-lines.ts';
import { sourceText } from './source-text.ts';

const SITE = 'https://shop.example';
const RULES = rulesOf(`${SITE}/`, { exclude: ['/login*'] }, [{ match: '/p/*' }]);

function read(
  kind: SourceKind,
  body: string | Uint8Array,
  rules = RULES,
  url = `${SITE}/source`,
): Promise<SourceLinks> {
  return readSource(kind, typeof body === 'string' ? new TextEncoder().encode(body) : body, url, rules);
}

function urlset(entries: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
}

function page(path: string, rest = ''): string {
  return `<url><loc>${SITE}${path}</loc>${rest}</url>`;
}

describe('robots.txt', () => {
  it('gives the sitemaps that it names, also of other hosts, and keeps their queries', async () => {
    const robots = [
      '\uFEFFUser-agent: *',
      'Disallow: /x # sitemap: /no.xml',
      ` SITEMAP : ${SITE}/a.xml?page=1&utm_source=x # all`,
      'sitemap:https://other.example/b.xml.gz\r',
      'Sitemap: /c.xml',
      `Sitemap: ${SITE}/a.xml?page=1`,
      'Sitemap:',
      '#Sitemap: /never.xml',
    ].join('\n');
    const rules = rulesOf(`${SITE}/`, { ignore_query: true });
    expect(await read('robots', robots, rules, `${SITE}/robots.txt`)).toEqual({
      lines: [
        `i+--sitemap ${SITE}/a.xml?page=1`,
        'i+--sitemap https://other.example/b.xml.gz',
        `i+--sitemap ${SITE}/c.xml`,
      ],
    });
  });

  it.each(['', 'User-agent: *\nDisallow:', '<html>Sitemap', 'Sitemap: ftp://shop.example/x.xml'])(
    'gives the usual sitemap where it names none: %j',
    async (robots) => {
      expect(await read('robots', robots, RULES, `${SITE}/robots.txt`)).toEqual({
        lines: [`i+--sitemap ${SITE}/sitemap.xml`],
      });
    },
  );
});

describe('sitemaps', () => {
  it('gives pages in order, each once, judged as links are, with their time', async () => {
    const sitemap = urlset(
      page('/p/1', '<lastmod>2026-01-05</lastmod>') +
        page('/about', '<lastmod>2026-01-05T10:00:00+02:00</lastmod><priority>0.5</priority>') +
        page('/p/1?utm_source=x') +
        page('/login', '<lastmod> 2025 </lastmod>') +
        '<url><lastmod>2026-02</lastmod><loc><![CDATA[https://other.example/?a=1&b=2]]></loc></url>' +
        page('/caf%c3%a9?a=1&amp;b=&#50;', '<lastmod>yesterday</lastmod>'),
    );
    expect(await read('sitemap', sitemap)).toEqual({
      lines: [
        `s+00${SITE}/p/1\t2026-01-05T00:00:00.000Z`,
        `s+--${SITE}/about\t2026-01-05T08:00:00.000Z`,
        `sx--${SITE}/login\t2025-01-01T00:00:00.000Z`,
        'so--https://other.example/?a=1&b=2\t2026-02-01T00:00:00.000Z',
        `s+--${SITE}/caf%C3%A9?a=1&b=2`,
      ],
    });
  });

  it('gives the sitemaps of an index', async () => {
    const index = `<sitemapindex><sitemap><loc>${SITE}/s.xml?page=1</loc><lastmod>2026-01-05</lastmod></sitemap>
      <sitemap><loc>https://cdn.example/2.xml.gz</loc></sitemap></sitemapindex>`;
    expect(await read('sitemap', index)).toEqual({
      lines: [
        `i+--sitemap ${SITE}/s.xml?page=1\t2026-01-05T00:00:00.000Z`,
        'i+--sitemap https://cdn.example/2.xml.gz',
      ],
    });
  });

  it('reads texts, gzip, byte order marks and other encodings', async () => {
    const text = `\uFEFF${SITE}/a\r\n\r\n  ${SITE}/b  \rnonsense\n${SITE}/c`;
    const lines = ['a', 'b', 'c'].map((path) => `s+--${SITE}/${path}`);
    expect(await read('sitemap', text)).toEqual({ lines });
    expect(await read('sitemap', gzipSync(text))).toEqual({ lines });
    const utf16 = Buffer.from(`\uFEFF${urlset(page('/é'))}`, 'utf16le');
    expect(await read('sitemap', utf16)).toEqual({ lines: [`s+--${SITE}/%C3%A9`] });
    const latin1 = Buffer.from(urlset(page('/é')).replace('UTF-8', 'ISO-8859-1'), 'latin1');
    expect(await read('sitemap', latin1)).toEqual({ lines: [`s+--${SITE}/%C3%A9`] });
    const unknown = urlset(page('/é')).replace('UTF-8', 'klingon');
    expect(await read('sitemap', unknown)).toEqual({ lines: [`s+--${SITE}/%C3%A9`] });
  });

  it.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['<!DOCTYPE html><html><body>Not found', 'is an HTML page'],
    ['<error>no</error>', 'is XML with the root element <error>'],
    ['Not found', 'is neither XML nor a list of addresses'],
    ['{"urls": []}', 'is neither XML nor a list of addresses'],
    ['<urlset><url><loc>mailto:a@b.example</loc></url><url/></urlset>', 'gives no address in its 2 entries'],
    ['\u001f\u008bjunk', 'is neither XML nor a list of addresses'],
  ])('says what %j is instead', async (body, fault) => {
    expect(await read('sitemap', body)).toEqual({ lines: [], fault });
  });

  it('takes a sitemap without entries as one', async () => {
    expect(await read('sitemap', urlset(''))).toEqual({ lines: [] });
  });
});

describe('feeds', () => {
  it('reads RSS', async () => {
    const rss = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>${SITE}/</link>
      <atom:link href="${SITE}/feed" rel="self"/>
      <item><title>1</title><atom:link href="${SITE}/no"/><link>/p/1</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>
      <item><guid>${SITE}/p/2</guid><dc:date>2026-01-05T12:00:00+02:00</dc:date></item>
      <item><guid isPermaLink="false">${SITE}/no</guid><link>\n${SITE}/p/3\n</link></item>
      </channel></rss>`;
    expect(await read('feed', rss)).toEqual({
      lines: [
        `f+00${SITE}/p/1\t2026-01-05T10:00:00.000Z`,
        `f+00${SITE}/p/2\t2026-01-05T10:00:00.000Z`,
        `f+00${SITE}/p/3`,
      ],
    });
  });

  it('reads RSS 1.0', async () => {
    const rdf = `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><link>${SITE}/</link></channel>
      <item rdf:about="x"><link>${SITE}/p/1</link><dc:date>2026-01-05</dc:date></item></rdf:RDF>`;
    expect(await read('feed', rdf)).toEqual({ lines: [`f+00${SITE}/p/1\t2026-01-05T00:00:00.000Z`] });
  });

  it('reads Atom: the page of an entry, not its other links', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="${SITE}/"/><updated>2026-01-01T00:00:00Z</updated>
      <entry><link rel="self" href="/api/1"/><link rel="alternate" type="application/pdf" href="/p/1.pdf"/>
        <link type="text/html" href="p/1"/><published>2026-01-01T00:00:00Z</published><updated>2026-01-02T00:00:00Z</updated>
        <source><link href="/no"/></source><content type="xhtml"><div><a href="/no">x</a></div></content></entry>
      <entry><link rel="alternate" type="application/pdf" href="/p/2.pdf"/></entry></feed>`;
    expect(await read('feed', atom)).toEqual({
      lines: [`f+00${SITE}/p/1\t2026-01-02T00:00:00.000Z`, `f+00${SITE}/p/2.pdf`],
    });
  });

  it('reads entries of Atom that have only an id, where it is an address', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><id>${SITE}/</id>
      <entry><id> ${SITE}/p/1 </id><updated>2026-01-02</updated></entry>
      <entry><id>${SITE}/no</id><link href="/p/2"/></entry>
      <entry><link rel="self" href="/api/3"/><id>${SITE}/p/3</id></entry>
      <entry><id>tag:a.example,2026:4</id></entry></feed>`;
    expect(await read('feed', atom)).toEqual({
      lines: [`f+00${SITE}/p/1\t2026-01-02T00:00:00.000Z`, `f+00${SITE}/p/2`, `f+00${SITE}/p/3`],
      faulty: 1,
    });
  });

  it('resolves addresses with the xml:base around them', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/a/"><entry><link href="1"/></entry>
      <entry xml:base="b/"><link href="2"/></entry><entry><link href="/3"/></entry>
      <entry xml:base="${SITE}/c/"><link href="4"/></entry></feed>`;
    expect(await read('feed', atom)).toEqual({
      lines: ['/a/1', '/a/b/2', '/3', '/c/4'].map((path) => `f+--${SITE}${path}`),
    });
  });

  it('reads JSON Feed', async () => {
    const items = [
      { id: '1', url: `${SITE}/p/1`, date_published: '2026-01-05T10:00:00Z', date_modified: '2026-01-06' },
      { id: '2', external_url: 'https://other.example/', date_published: '2026-01-05T10:00:00-05:00' },
      { id: '3', url: 3 },
      null,
    ];
    expect(
      await read('feed', JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items })),
    ).toEqual({
      lines: [
        `f+00${SITE}/p/1\t2026-01-06T00:00:00.000Z`,
        'fo--https://other.example/\t2026-01-05T15:00:00.000Z',
      ],
      faulty: 2,
    });
  });

  it.each([
    ['{"a": 1}', 'is not a JSON Feed'],
    ['{"items": [', 'is not a JSON Feed'],
    [`{"items": ${'['.repeat(100_000)}`, 'is not a JSON Feed'],
    [`{"items": [${' '.repeat(SOURCE_LIMITS.jsonBytes)}]}`, 'is JSON of more than 10 MB'],
    ['Not found', 'is neither RSS, Atom nor a JSON Feed'],
    ['<html>', 'is an HTML page'],
  ])('says what %.30s is instead', async (body, fault) => {
    expect(await read('feed', body)).toEqual({ lines: [], fault });
  });

  it('reads feeds as sitemaps and sitemaps as feeds', async () => {
    const atom = `<feed><entry><link href="${SITE}/p/1"/></entry></feed>`;
    expect(await read('sitemap', atom)).toEqual({ lines: [`s+00${SITE}/p/1`] });
    expect(await read('feed', urlset(page('/p/1')))).toEqual({ lines: [`f+00${SITE}/p/1`] });
  });
});

describe('hostile sources', () => {
  const LOL = `<!DOCTYPE lolz [<!ENTITY a "lol">${'<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'.repeat(50)}
    <!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY % remote SYSTEM "https://evil.example/x.dtd">%remote;]>`;

  it('resolves no entities', async () => {
    const body = `<?xml version="1.0"?>${LOL}<urlset>${page('/1')}<url><loc>${SITE}/&b;&file;</loc></url></urlset>`;
    expect(await read('sitemap', body)).toEqual({
      lines: [`s+--${SITE}/1`, `s+--${SITE}/&b;&file;`],
    });
  });

  it('reads half a document up to its last whole entry', async () => {
    const body = urlset(page('/1') + page('/2') + page('/3'));
    const second = body.indexOf('/2</loc>');
    for (const cut of [second, second + 2, second + 5, second + 8, second + 10]) {
      expect(await read('sitemap', body.slice(0, cut))).toEqual({
        lines: [`s+--${SITE}/1`],
        truncated: true,
      });
    }
  });

  it('reads half a gzip file as far as it goes, and junk after one', async () => {
    const paths = Array.from({ length: 5_000 }, (_, index) => `/${(index * 7_919) % 10_007}`);
    const whole = gzipSync(urlset(paths.map((path) => page(path)).join('')));
    const half = await read('sitemap', whole.subarray(0, whole.length / 2));
    expect(half).toMatchObject({ truncated: true });
    expect(half.lines.length).toBeGreaterThan(100);
    expect(half.lines).toEqual(paths.slice(0, half.lines.length).map((path) => `s+--${SITE}${path}`));
    const text = gzipSync(paths.map((path) => SITE + path).join('\n'));
    const cut = await read('sitemap', text.subarray(0, text.length / 2));
    expect(cut.lines).toEqual(paths.slice(0, cut.lines.length).map((path) => `s+--${SITE}${path}`));
    const followed = await read('sitemap', Buffer.concat([whole, Buffer.from('junk')]));
    expect(followed.truncated).toBe(true);
    expect(followed.lines.length).toBeGreaterThan(4_500);
    expect((await read('sitemap', Buffer.concat([whole, Buffer.alloc(500)]))).lines).toHaveLength(5_000);
  });

  it('ends a gzip bomb at the limit', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(urlset(page('/1'))), Buffer.alloc(80 * 1024 ** 2, 32)]));
    expect(await read('sitemap', bomb)).toEqual({ lines: [`s+--${SITE}/1`], truncated: true });
    const end = { isCut: false };
    const parts: number[] = [];
    for await (const text of sourceText(bomb, SOURCE_LIMITS.bytes, end)) parts.push(text.length);
    expect(end.isCut).toBe(true);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(SOURCE_LIMITS.bytes);
    expect(Math.max(...parts)).toBeLessThanOrEqual(64 * 1024);
  });

  it('ends at 50,000 addresses', async () => {
    const body = urlset(Array.from({ length: 60_000 }, (_, index) => page(`/${index}`)).join(''));
    const { lines, truncated } = await read('sitemap', body);
    expect(lines).toHaveLength(SOURCE_LIMITS.entries);
    expect(truncated).toBe(true);
  });

  it('is not led astray by nesting, wrong namespaces, prefixes, case and wrong ends', async () => {
    const entries = `
      <s:url><s:loc>${SITE}/1</s:loc><image:image><image:loc>${SITE}/no.png</image:loc></image:image></s:url>
      <s:url><image:loc>${SITE}/no.png</image:loc><s:loc>${SITE}/2</s:url>
      <S:URL><s:LOC>${SITE}/3</s:LOC></s:foo></S:URL>
      <loc>${SITE}/no</loc><x><s:url><s:loc>${SITE}/no</s:loc></s:url></x>
      <!-- <s:url><s:loc>${SITE}/no</s:loc></s:url> -->
      <s:url><s:loc>${SITE}/4<!-- no --></s:loc><s:loc>${SITE}/no</s:loc></s:url>`;
    expect(
      await read('sitemap', `\n\n<s:urlset xmlns:s="https://wrong.example/">${entries}</s:urlset>`),
    ).toEqual({
      lines: [1, 2, 3, 4].map((number) => `s+--${SITE}/${number}`),
    });
  });

  it('ends in a document that is nested too deeply', async () => {
    const deep = `<urlset>${page('/1')}${'<a>'.repeat(1_000_000)}`;
    expect(await read('sitemap', deep)).toEqual({ lines: [`s+--${SITE}/1`], truncated: true });
    expect(await read('sitemap', `<urlset>${'<a>'.repeat(200)}`)).toEqual({
      lines: [],
      fault: 'has elements in more than 100 levels',
    });
  });

  it.each([
    ['a text', (junk: string) => `<url><loc>${SITE}/${junk}</loc></url>`],
    ['an attribute', (junk: string) => `<url a="${junk}"/>`],
    ['a name', (junk: string) => `<${junk}></${junk}>`],
    ['a comment', (junk: string) => `<!--${junk}-->`],
    ['a document type', (junk: string) => `<!DOCTYPE ${junk}>`],
    ['an instruction', (junk: string) => `<?${junk}?>`],
    ['CDATA', (junk: string) => `<url><loc><![CDATA[${junk}]]></loc></url>`],
    ['an entity', (junk: string) => `<url><loc>&${junk};</loc></url>`],
    ['attributes', (junk: string) => `<url ${junk.replaceAll('xx', 'x ')}/>`],
    ['white space', (junk: string) => `<url><loc>${junk.replaceAll('x', ' ')}</loc></url>`],
  ])('goes on after 4 MB of %s', async (_what, write) => {
    const body = `<urlset>${page('/1')}${write('x'.repeat(4 * 1024 ** 2))}${page('/2')}</urlset>`;
    expect((await read('sitemap', body)).lines).toEqual([`s+--${SITE}/1`, `s+--${SITE}/2`]);
  });

  it('reads a text of one line without end', async () => {
    const body = `${SITE}/1\n${SITE}/${'x'.repeat(4 * 1024 ** 2)}\n${SITE}/2`;
    expect((await read('sitemap', body)).lines).toEqual([`s+--${SITE}/1`, `s+--${SITE}/2`]);
  });
});

const SUITE = findTestData('suites/sitemaps');

/** The number of addresses of each file, and the first. */
const FOUND: Readonly<Record<string, [number, string]>> = {
  'atom.xml': [1, 'http://example.org/2003/12/13/atom03\t2003-12-13T18:30:02.000Z'],
  'do-not-visit.txt': [1, 'http://www.example.com/do-not-visit-here'],
  'sitemap-with-bom.txt': [2, 'http://www.domain.com/page1.html'],
  'sitemap.badns.xml': [2, 'http://www.example.com/1'],
  'sitemap.index.xml': [15, 'sitemap https://example.com/sitemap.jss?portalCode=10260&lang=en'],
  'sitemap.ns.xml': [2, 'http://www.example.com/1'],
  'sitemap.txt': [2, 'http://www.domain.com/page1.html'],
  'sitemap.txt.gz': [5, 'http://www.example.com/'],
  'xmlSitemap.gz': [5, 'http://www.example.com/\t2005-01-01T00:00:00.000Z'],
  'hebdenbridgetimes-articles-sitemap.xml': [
    74,
    'http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580\t2015-05-03T17:51:50.000Z',
  ],
  'pagemaps-sitemap.xml': [2, 'http://www.example.com/foo'],
  'shinpaideshou-news-sitemap.xml': [
    3,
    'https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/',
  ],
  'sitemap-images.xml': [1, 'http://www.example.com/images/some_image_landing_page.html'],
  'sitemap-links.xml': [3, 'http://www.example.com/english/'],
  'sitemap-mobile.xml': [3, 'http://www.example.com/mobile-friendly-1/'],
  'sitemap-news.xml': [2, 'http://www.example.org/business/article55.html'],
  'sitemap-videos-tvshow.xml': [1, 'https://example.org/my-tv-show/23/13/'],
  'sitemap-videos.xml': [3, 'http://www.example.com/videos/some_video_landing_page.html'],
};

it.skipIf(SUITE.isMissing)('reads sitemaps as they are found', { meta: SUITE.meta }, async () => {
  const files = readdirSync(SUITE.path, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const found = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const { lines, ...rest } = await read('sitemap', readFileSync(join(parentPath, name)));
      expect({ name, rest }).toEqual({ name, rest: {} });
      return [name, [lines.length, lines[0]?.slice(4)]];
    }),
  );
  expect(Object.fromEntries(found)).toEqual(FOUND);
});
