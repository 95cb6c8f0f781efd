import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { largestOf } from './source-set.ts';

const GIF = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const PARSER = compileParser({
  fields: {
    md: { css: 'body', type: 'markdown' },
    image: { page: 'image' },
    address: { css: 'img, amp-img, picture', type: 'url' },
  },
});

function read(body: string, head = ''): Record<string, unknown> {
  const html = `<head>${head}</head><body>${body}`;
  const result = extract(PARSER, { body: html, url: 'https://a.example/dir/page' });
  return result.ok ? result.data : {};
}

/** The addresses of the pictures of a Markdown text, without the host. */
function shown(body: string): string[] {
  const { md } = read(body);
  return [...String(md).matchAll(/!\[[^\]]*\]\(https:\/\/a\.example([^)]*)\)/g)].map(
    ([, path]) => path ?? '',
  );
}

describe('pictures', () => {
  it.each<[how: string, html: string, ...addresses: string[]]>([
    ['src', '<img src="/r.jpg">', '/r.jpg'],
    ['data-src', `<img src="${GIF}" data-src="/r.jpg">`, '/r.jpg'],
    ['data-original', '<img data-original="/r.jpg">', '/r.jpg'],
    ['data-lazy-src', '<img src="/spacer.gif" data-lazy-src="/r.jpg">', '/r.jpg'],
    ['data-srcset', '<img src="/blank.gif" data-srcset="/s.jpg 300w, /r.jpg 900w">', '/r.jpg'],
    ['a blurred copy', '<img src="/r.jpg?w=20&q=10" data-src="/r.jpg?w=900">', '/r.jpg?w=900'],
    ['a blurred copy with srcset', '<img src="/lqip.jpg" srcset="/s.jpg 1x, /r.jpg 2x">', '/r.jpg'],
    ['srcset alone', '<img srcset="/w_300,h_200/s.jpg, /w_600,h_400/r.jpg 2x">', '/w_600,h_400/r.jpg'],
    ['an empty src', '<img src="" srcset="/r.jpg">', '/r.jpg'],
    ['a fragment', '<img src="#" data-src="/r.jpg">', '/r.jpg'],
    ['settings in data-src', '<img src="/r.jpg" data-src=\'{"w": 1.5}\'>', '/r.jpg'],
    ['a flag in data-lazy', '<img src="/r.jpg" data-lazy="true">', '/r.jpg'],
    ['a stand-in in data-src', '<img src="/r.jpg" data-src="/placeholder.png">', '/r.jpg'],
    ['picture', `<picture><source srcset="/s.webp 1x, /r.webp 2x"><img src="${GIF}"></picture>`, '/r.webp'],
    [
      'sources for small screens',
      `<picture><source media="(max-width: 600px)" srcset="/s.webp"><source srcset="/r.webp"><img></picture>`,
      '/r.webp',
    ],
    ['picture without img', '<picture><source data-srcset="/r.webp 900w"></picture>', '/r.webp'],
    [
      'a picture that has its src',
      '<picture><source srcset="/w.webp"><img src="/r.jpg"></picture>',
      '/r.jpg',
    ],
    ['noscript behind', `<img src="${GIF}"><noscript><img src="/r.jpg"></noscript>`, '/r.jpg'],
    ['noscript before', '<noscript><img src="/r.jpg"></noscript><img src="/loading.svg">', '/r.jpg'],
    [
      'noscript behind a wrapper',
      `<div><span><img></span></div><noscript><img src="/r.jpg"></noscript>`,
      '/r.jpg',
    ],
    ['noscript alone', '<figure><noscript><img src="/r.jpg"></noscript></figure>', '/r.jpg'],
    ['noscript in a picture', '<picture><source><noscript><img src="/r.jpg"></noscript></picture>', '/r.jpg'],
    ['noscript that repeats', '<img src="/r.jpg"><noscript><img src="/r.jpg"></noscript>', '/r.jpg'],
    ['amp-img', '<amp-img src="/r.jpg"><noscript><img src="/r.jpg"></noscript></amp-img>', '/r.jpg'],
    ['amp-img with srcset', '<amp-img srcset="/s.jpg 300w, /r.jpg 600w"></amp-img>', '/r.jpg'],
    ['only a stand-in', '<img src="/blank.gif">', '/blank.gif'],
    ['nothing', `<img src="${GIF}"><img><img data-src="{{ url }}">`],
    ['a counter of visitors', '<noscript><img src="/t?id=1" height="1" width="1" alt="c"></noscript>'],
    ['a counter without size', '<noscript><img src="/t?id=1"></noscript>'],
    ['a request for JavaScript', '<noscript>Turn on JavaScript <img src="/js.png" alt="x"></noscript>'],
    ['two in a row', '<img data-src="/1.jpg"><img data-src="/2.jpg">', '/1.jpg', '/2.jpg'],
  ])('shows the real one of %s', (_how, html, ...addresses) => {
    expect(shown(html)).toEqual(addresses);
  });

  it('takes the description of what stands in noscript', () => {
    expect(read('<img><noscript><img src="/r.jpg" alt="A bridge"></noscript>')['md']).toBe(
      '![A bridge](https://a.example/r.jpg)',
    );
  });

  it.each([
    ['an img', `<img src="${GIF}" data-src="/r.jpg">`],
    ['a picture', `<picture><source srcset="/s.jpg 1x, /r.jpg 2x"><img src="${GIF}"></picture>`],
    ['an amp-img', '<amp-img src="/r.jpg"></amp-img>'],
  ])('gives the address of %s as url', (_what, html) => {
    expect(read(html)['address']).toBe('https://a.example/r.jpg');
  });

  it.each<[what: string, head: string, body: string, url: string | null]>([
    [
      'meta',
      '<meta property="og:image" content="/m.jpg">',
      '<article><img src="/r.jpg"></article>',
      '/m.jpg',
    ],
    [
      'no stand-in in meta',
      '<meta property="og:image" content="/img/placeholder.png"><meta name="twitter:image" content="/r.jpg">',
      '',
      '/r.jpg',
    ],
    [
      'a stand-in alone',
      '<meta property="og:image" content="/img/placeholder.png">',
      '',
      '/img/placeholder.png',
    ],
    [
      'microdata',
      '',
      `<div itemscope itemtype="https://schema.org/Article"><img itemprop="image" src="${GIF}" data-src="/r.jpg">`,
      '/r.jpg',
    ],
    [
      'the article',
      '',
      `<img src="/top.jpg"><article><img src="/logo.png"><img src="${GIF}" data-src="/r.jpg">`,
      '/r.jpg',
    ],
    [
      'below the heading',
      '',
      '<img src="/top.jpg"><h1>A</h1><img width="16" src="/a.jpg"><img srcset="/r.jpg 2x">',
      '/r.jpg',
    ],
    ['no picture', '', '<img src="/top.jpg"><p>a</p>', null],
  ])('finds the picture of a page: %s', (_what, head, body, url) => {
    expect(read(body, head)['image'] ?? null).toBe(url === null ? null : `https://a.example${url}`);
  });

  it('reads srcset as url in any source, and leaves it to steps that split it', () => {
    const parser = compileParser({
      fields: {
        css: { css: 'img@srcset', type: 'url' },
        xpath: { xpath: '//img/@srcset', type: 'url' },
        text: 'img@srcset',
        split: { css: 'img@srcset', transform: [{ regex: '^\\S+' }], type: 'url' },
      },
    });
    const result = extract(parser, {
      body: '<img srcset="/s.jpg 300w, /r,1.jpg 900w">',
      url: 'https://a.example/',
    });
    expect(result).toMatchObject({
      ok: true,
      data: {
        css: 'https://a.example/r,1.jpg',
        xpath: 'https://a.example/r,1.jpg',
        text: '/s.jpg 300w, /r,1.jpg 900w',
        split: 'https://a.example/s.jpg',
      },
    });
  });
});

describe('largestOf', () => {
  it.each<[string, string | undefined]>([
    ['a.jpg', 'a.jpg'],
    ['a.jpg 1x, b.jpg 1.5x', 'b.jpg'],
    ['a.jpg 2x,b.jpg', 'a.jpg'],
    ['a.jpg 300w,b.jpg 600w 400h', 'b.jpg'],
    ['data:image/gif;base64,R0lG 9w, a.jpg 1w', 'a.jpg'],
    [' ,, a.jpg , ', 'a.jpg'],
    ['a.jpg, b.jpg', 'a.jpg'],
    ['', undefined],
  ])('of %s is %s', (text, address) => {
    expect(largestOf(text)).toBe(address);
  });

  it('takes linear time', () => {
    expect(largestOf('a 1x,'.repeat(100_000))).toBe('a');
    expect(largestOf('a '.repeat(100_000))).toBe('a');
    expect(largestOf(','.repeat(100_000))).toBe(undefined);
  });
});
