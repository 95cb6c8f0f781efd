import { expect, it } from 'vitest';
import { fillUrls, importsOf, urlsOf } from './style-urls.ts';

const BASE = 'https://shop.example/css/main.css';
const CSS = `@import "reset.css"; @import url('https://cdn.example/a.css') screen;
a { background: url(../img/a.png) } b { background: url("data:image/png;base64,AA==") }
@font-face { src: url('/f.woff2') format("woff2"), url(f.woff) } c { cursor: url(javascript:alert) }`;

it('finds the style sheets, images and fonts that a style sheet names', () => {
  expect(importsOf(CSS, BASE)).toEqual(['https://shop.example/css/reset.css', 'https://cdn.example/a.css']);
  expect(urlsOf(CSS, BASE)).toEqual([
    'https://shop.example/img/a.png',
    'https://shop.example/f.woff2',
    'https://shop.example/css/f.woff',
  ]);
});

it('replaces what was loaded and leaves the rest', () => {
  const loaded = new Map([['https://shop.example/img/a.png', 'data:image/png;base64,BB==']]);
  const filled = fillUrls(CSS, BASE, loaded);
  expect(filled).toContain('url("data:image/png;base64,BB==")');
  expect(filled).toContain("url('/f.woff2')");
});
