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
