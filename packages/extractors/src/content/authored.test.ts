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
    ['nothing', '<p>a</p>', {}],
  ])('reads %s', (_what, html, facts) => {
    expect(factsOf(html)).toEqual(facts);
  });

  it('reads the day in an address', () => {
    expect(factsOf('<p>a</p>', 'https://a.example/2026/3/4/bridge')).toEqual({ published: '2026-03-04' });
  });
});
