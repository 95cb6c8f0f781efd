import { elementsByTag, attributeOf, parseHtml, textOf } from '@gleaner/html';
import { expect, it } from 'vitest';
import { isNextLink, readingsOf } from './readings.ts';

/** The first element of a tag, with what the panel asks of it. */
function clicked(html: string, tag = 'a'): Parameters<typeof isNextLink>[0] {
  const document = parseHtml(html);
  const found = (name: string) =>
    elementsByTag(document, name).map((element) => ({
      localName: name,
      textContent: textOf(document, element),
      getAttribute: (attribute: string) => attributeOf(element, attribute) ?? null,
      hasAttribute: (attribute: string) => attributeOf(element, attribute) !== undefined,
      querySelectorAll: (inner: string) => found(inner),
    }));
  const [first] = found(tag);
  if (first === undefined) throw new Error(`no ${tag}`);
  return first;
}

function read(html: string, tag?: string): unknown[] {
  return readingsOf(clicked(html, tag), '.x').map(({ label, field }) => [label, field.css, field.type]);
}

it('a link gives its text, its address and its picture', () => {
  expect(read('<a href="/x">Lamp<img src="/l.png"></a>')).toEqual([
    ['Text', '.x', undefined],
    ['Address', '.x@href', 'url'],
    ['Picture', '.x img@src', 'url'],
  ]);
  expect(read('<a href="/x"><img src="data:," data-src="/l.png"></a>')).toEqual([
    ['Address', '.x@href', 'url'],
    ['Picture', '.x img@data-src', 'url'],
  ]);
  expect(read('<a href="/x">Lamp</a>')).toHaveLength(2);
});

it('a picture gives its address and its description; other elements have one reading', () => {
  expect(read('<img src="/l.png" alt="a lamp">', 'img')).toEqual([
    ['Picture', '.x@src', 'url'],
    ['Description', '.x@alt', undefined],
  ]);
  expect(read('<img src="/l.png" alt="">', 'img')).toEqual([]);
  expect(read('<a name="top">Top</a>')).toEqual([]);
  expect(read('<p>Lamp</p>', 'p')).toEqual([]);
});

it.each([
  '<a rel="nofollow next" href="?p=2">2</a>',
  '<a href="?p=2">Next</a>',
  '<a href="?p=2">Next page →</a>',
  '<a href="?p=2"> › </a>',
  '<a href="?p=2" aria-label="Next page"><svg></svg></a>',
  '<a href="?p=2">Weiter »</a>',
  '<a href="?p=2">Suivant</a>',
  '<a href="?p=2">次へ</a>',
  '<a href="?p=2">Older posts</a>',
])('%s leads to the next page', (html) => {
  expect(isNextLink(clicked(html))).toBe(true);
});

it.each([
  '<a href="/x">What comes next</a>',
  '<a href="/x">Nextcloud</a>',
  '<a name="x" rel="next">x</a>',
  '<a href="/x"><svg></svg></a>',
  '<a href="/x">2</a>',
  '<a href="/x">‹ Previous</a>',
])('%s does not', (html) => {
  expect(isNextLink(clicked(html))).toBe(false);
});
