import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';

const PARSER = compileParser({
  fields: {
    published: { page: 'published' },
    modified: { page: 'modified' },
    author: { page: 'author' },
    description: { page: 'description' },
    image: { page: 'image' },
  },
});

function factsOf(html: string, url = 'https://a.example/x'): unknown {
  const result = extract(PARSER, { body: `<!doctype html><html lang="en">${html}`, url });
  return result.ok
    ? Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== null))
    : result.failure;
}

function jsonLd(data: unknown): string {
  return `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
}

describe('facts of a page', () => {
  it.each<[what: string, html: string, facts: Record<string, string>]>([
    [
      'JSON-LD before meta tags',
      `${jsonLd({
        '@graph': [
          { '@type': 'Organization', name: 'The News', description: 'A newspaper' },
          { '@type': 'Person', '@id': '#ann', name: 'Ann Lee' },
          {
            '@type': 'NewsArticle',
            author: [{ '@id': '#ann' }, { name: 'Bo Chen' }],
            datePublished: '2026-03-03T10:00:00Z',
            dateModified: '2026-03-04',
            description: 'A bridge',
            image: { url: '/i.jpg' },
          },
        ],
      })}<meta name="author" content="Web team"><meta name="description" content="Other">`,
      {
        published: '2026-03-03T10:00:00Z',
        modified: '2026-03-04',
        author: 'Ann Lee, Bo Chen',
        description: 'A bridge',
        image: 'https://a.example/i.jpg',
      },
    ],
    [
      'meta tags',
      '<meta property="article:published_time" content="2026-03-03"><meta property="og:image" content="/o.jpg"><meta name="author" content="By Ann Lee"><meta property="og:description" content="A bridge">',
      {
        published: '2026-03-03',
        author: 'Ann Lee',
        description: 'A bridge',
        image: 'https://a.example/o.jpg',
      },
    ],
    [
      'times below the heading before those above',
      '<time datetime="2020-01-01">old</time><h1>A</h1><time datetime="2026-03-03T10:00">3 March</time>',
      { published: '2026-03-03T10:00' },
    ],
    [
      'a name before the account of the page on another site',
      '<meta name="twitter:creator" content="@annlee"><h1>A</h1><p class="author">Authored by: Ann Lee</p>',
      { author: 'Ann Lee' },
    ],
    [
      'a byline in words',
      '<h1>A</h1><p class="byline">By Ann Lee · March 3, 2026</p>',
      { published: '2026-03-03', author: 'Ann Lee' },
    ],
    [
      'a byline before a date in words in the data, which is when the site was built',
      `${jsonLd({ '@type': 'Article', datePublished: 'Jun 24, 2025' })}<h1>A</h1><p>March 3, 2026</p>`,
      { published: '2026-03-03' },
    ],
    [
      'no label of a form and no reader who comments',
      '<h1>A</h1><form><label class="username">Username</label></form><div class="comments"><p class="comment-author author">Bo Chen</p></div>',
      {},
    ],
    [
      'a name without the date and the words beside it',
      '<h1>A</h1><p class="author">Jul 12 Written By Ann Lee</p><p class="author">Bo Chen</p>',
      { author: 'Ann Lee' },
    ],
    ['no account', '<meta name="author" content="team@a.example"><h1>A</h1>', {}],
    [
      'a person before the site itself',
      `${jsonLd({ '@type': 'Article', author: { name: 'The News' }, publisher: { name: 'The News' } })}<h1>A</h1><p class="author">Ann Lee, March 3, 2026</p>`,
      { author: 'Ann Lee', published: '2026-03-03' },
    ],
    [
      'the site where nobody else is named',
      `${jsonLd({ '@type': 'Article', author: 'The News', publisher: { name: 'The News' } })}<p>a</p>`,
      { author: 'The News' },
    ],
    ['nothing', '<p>a</p>', {}],
  ])('reads %s', (_what, html, facts) => {
    expect(factsOf(html)).toEqual(facts);
  });

  it.each<[html: string, published: string | undefined]>([
    ['<h1>Save 20 % today</h1><p class="date">Only today</p>', undefined],
    ['<h1>A</h1><p class="meta">What happens tomorrow</p><p>Call us today</p>', undefined],
    ['<h1>A</h1><p class="date">Posted yesterday</p>', '2026-03-09'],
    ['<h1>A</h1><p class="date">3 hours ago</p>', '2026-03-10'],
    ['<h1>A</h1><p class="date">tomorrow</p>', undefined],
    ['<meta property="article:published_time" content="2027-01-01"><h1>A</h1>', undefined],
  ])('reads the day of %s as %s', (html, published) => {
    const parser = compileParser({ fields: { published: { page: 'published' } } });
    const page = {
      body: `<html lang="en">${html}`,
      url: 'https://a.example/x',
      fetchedAt: '2026-03-10T12:00:00.000Z',
    };
    expect(extract(parser, page).data?.published ?? undefined).toBe(published);
  });

  it.each<[html: string]>([
    ['<article><h1>Allies</h1><p>World War II ended on September 2, 1945.</p></article>'],
    ['<h1>Job</h1><p>Closing date: 3 March 2026</p>'],
    ['<h1>Job</h1><p>Closing date: <span>3 March 2026</span></p>'],
    ['<h1>Job</h1><p>Apply by 3 March 2026</p>'],
    ['<h1>Ann</h1><p>Born: April 4, 1950</p>'],
    ['<h1>Ann</h1><dl><dt>Kickoff<dd>April 4, 1950</dl>'],
    ['<h1>Ann</h1><div class=meta><div>Born</div><div class=date>April 4, 1950</div></div>'],
    ['<h1>Lamp</h1><table><tr><th>Release date<td>March 3, 2026</table>'],
    ['<h1>Lamp</h1><p class=date>Expected availability: March 3, 2026</p>'],
    ['<h1>Lamp</h1><p>Nice.</p><footer>Terms (effective May 25, 2018)</footer>'],
    ['<h1>Lamp</h1><p>Nice.</p><footer><p class=date>May 25, 2018</p></footer>'],
    ['<header><span class=date>Monday, March 2, 2026</span></header><h1>Lamp</h1>'],
    ['<div class=bar><span class=date>Tuesday, March 10, 2026</span></div><h1>Lamp</h1>'],
    ['<h1>A</h1><div class=review>By <span class=author>Ann</span> on May 5, 2019<p>good</p></div>'],
    ['<h1>A</h1><section class=comments><time datetime=2026-01-01>1 January</time> by Ann</section>'],
    ['<h1>Concert</h1><p>Doors open <time datetime=2026-03-03T19:00>March 3, 7 pm</time></p>'],
    ['<h1>A</h1><div class=event-date><time datetime=2026-03-03>March 3</time></div>'],
    [
      '<h1>A</h1><div class=related-posts><a>B</a><time datetime=2026-01-01></time><i class=author>Bo Chen</i></div>',
    ],
    [
      '<article><h1>A</h1></article><article><h2>B</h2><p class=byline>By Bo Chen on May 5, 2019</p></article>',
    ],
    ['<h1>A</h1><p class=date>03/04/2026</p><p class=meta>March 3, 2026</p>'],
    [
      '<h1>A</h1><div class=author>About the author Ann Lee</div><i class=author>Ann Lee writes about old bridges</i>',
    ],
    [jsonLd({ '@type': 'VideoObject', name: 'Clip', uploadDate: '2026-01-01' })],
    [jsonLd({ '@type': 'Movie', name: 'Clip', datePublished: '1999-03-31' })],
    [jsonLd({ '@type': 'Article', datePublished: '0000-00-00', dateModified: '0001-01-01T00:00:00' })],
    [jsonLd({ '@type': 'Article', datePublished: '2026-02-30', dateModified: '1970-01-01T00:00:00Z' })],
    [
      jsonLd(
        ['b', 'c'].map((url) => ({ '@type': 'BlogPosting', url, author: 'Bo', datePublished: '2026-01-01' })),
      ),
    ],
    [
      jsonLd([
        { '@type': 'Product', name: 'Lamp' },
        { '@type': 'Review', author: 'Bo', datePublished: '2026-01-01' },
      ]),
    ],
    [
      '<div itemscope itemtype=https://schema.org/Product><p itemprop=review itemscope itemtype=https://schema.org/Review><time itemprop=datePublished datetime=2026-01-01>',
    ],
  ])('takes no date and no author of something else: %s', (html) => {
    const page = {
      body: `<html lang=en>${html}`,
      url: 'https://a.example/x',
      fetchedAt: '2026-03-10T12:00:00Z',
    };
    expect(extract(PARSER, page).data).toMatchObject({ published: null, modified: null, author: null });
  });

  it.each<[html: string, facts: Record<string, string>]>([
    [
      '<p class=meta>Last updated April 4, 2026 · Published March 3, 2026</p>',
      { published: '2026-03-03', modified: '2026-04-04' },
    ],
    [
      '<p class=meta>Published: March 3, 2026 Updated: April 4, 2026</p>',
      { published: '2026-03-03', modified: '2026-04-04' },
    ],
    ['<p>Last updated on <time datetime=2026-04-04>April 4</time></p>', { modified: '2026-04-04' }],
    ['<time class=updated datetime=2026-04-04></time>', { modified: '2026-04-04' }],
    ['<p>By Ann Lee, Monday, March 3, 2026 at 10:00 GMT</p>', { published: '2026-03-03', author: 'Ann Lee' }],
    [
      '<p class=meta>Ann Lee in <a>World News</a> on <b>March 3, 2026</b> | 5 min read</p>',
      { published: '2026-03-03' },
    ],
    [
      '<p>by <a>bonesly</a> » <time datetime=2026-03-03>Tue Mar 3</time></p>',
      { published: '2026-03-03', author: 'bonesly' },
    ],
    ['<p>公開日: 2026年3月3日</p>', { published: '2026-03-03' }],
    ['<dl><dt>Published<dd>March 3, 2026</dl>', { published: '2026-03-03' }],
    [
      jsonLd({ '@type': 'VideoObject', name: 'Clip', uploadDate: '2026-01-01', url: '/x' }),
      { published: '2026-01-01' },
    ],
  ])('reads the days and the author of %s', (html, facts) => {
    expect(factsOf(`<h1>A</h1>${html}`)).toEqual(facts);
  });

  it('takes what is at the page’s own address before what is beside it', () => {
    const image = '/main.jpg';
    const main = {
      '@type': 'Product',
      name: 'Main',
      url: 'https://www.a.example/x/',
      image,
      description: 'main',
    };
    const other = { '@type': 'Product', name: 'Other', image: '/other.jpg', description: 'other' };
    const facts = { image: 'https://a.example/main.jpg', description: 'main' };
    for (const url of [undefined, 'https://a.example/other'])
      expect(factsOf(jsonLd([{ ...other, url }, main]))).toEqual(facts);
    expect(
      factsOf(
        jsonLd([
          { '@type': 'NewsArticle', author: 'Bo Chen' },
          { '@type': 'NewsArticle', author: 'Ann Lee', mainEntityOfPage: { '@id': 'https://a.example/x' } },
        ]),
      ),
    ).toEqual({ author: 'Ann Lee' });
  });

  it('reads the headline of the data, the meta tags, else the first heading', () => {
    const parser = compileParser({ fields: { headline: { page: 'headline' } } });
    const headlineOf = (html: string) =>
      extract(parser, { body: `<title>T | Site</title>${html}`, url: 'https://a.example/x' }).data?.headline;
    const heading = '<h1></h1><h1>Third</h1>';
    const meta = `<meta property="og:title" content="Second">${heading}`;
    expect(headlineOf(`${jsonLd({ '@type': 'Article', headline: 'First' })}${meta}`)).toBe('First');
    expect(headlineOf(meta)).toBe('Second');
    expect(headlineOf(heading)).toBe('Third');
  });

  it('reads the day in an address', () => {
    expect(factsOf('<p>a</p>', 'https://a.example/2026/3/4/bridge')).toEqual({ published: '2026-03-04' });
  });
});
