import { describe, expect, it } from 'vitest';
import { compileSelector } from '../css/compile.ts';
import { selectElements } from '../css/select.ts';
import { parseHtml } from './parse.ts';
import { readPageText } from './read-text.ts';
import { innerHtmlOf } from './serialize.ts';

function bodyOf(html: string, composed = true): string {
  const document = parseHtml(html, 'UTF-8', { composed });
  return /<body>([^]*)<\/body>/.exec(innerHtmlOf(document, document.root))?.[1] ?? '';
}

function root(inside: string, mode = 'open'): string {
  return `<template shadowrootmode="${mode}">${inside}</template>`;
}

describe('an open declarative shadow root stands inside its host', () => {
  it.each([
    [`<x-a>${root('<b>1</b>')}</x-a>`, '<x-a><b>1</b></x-a>'],
    [
      `<x-a>${root('<p><slot></slot></p>')}text <i>more</i></x-a>`,
      '<x-a><p><slot>text <i>more</i></slot></p></x-a>',
    ],
    [
      `<x-a>${root('<slot name="b"></slot><slot name="a"></slot>')}<i slot="a">1</i><i slot="b">2</i></x-a>`,
      '<x-a><slot name="b"><i slot="b">2</i></slot><slot name="a"><i slot="a">1</i></slot></x-a>',
    ],
    [`<x-a>${root('<slot name="b">own</slot>')}</x-a>`, '<x-a><slot name="b">own</slot></x-a>'],
    [`<x-a>${root('<b>1</b>')}lost<script>keep</script></x-a>`, '<x-a><b>1</b><script>keep</script></x-a>'],
    [`<x-a>${root('<b>1</b>')}${root('<b>2</b>')}</x-a>`, '<x-a><b>1</b></x-a>'],
    [
      `<x-a>${root(`<x-b>${root('<u><slot></slot></u>')}<slot></slot></x-b>`)}in</x-a>`,
      '<x-a><x-b><u><slot><slot>in</slot></slot></u></x-b></x-a>',
    ],
    [`<div>${root('<b>1</b>')}</div>`, '<div><b>1</b></div>'],
    [
      `<section><x-a>${root('é &amp; <b>1</b>')}</x-a></section>`,
      '<section><x-a>é &amp; <b>1</b></x-a></section>',
    ],
  ])('%s', (html, expected) => {
    const composed = bodyOf(`<!doctype html><body>${html}`);
    expect(composed).toBe(expected);
    // The tree stays as it is after writing and parsing it again.
    expect(bodyOf(`<!doctype html><body>${composed}`)).toBe(expected);
  });

  it.each([
    `<x-a>${root('<b>1</b>', 'closed')}</x-a>`,
    `<a>${root('<b>1</b>')}</a>`,
    '<x-a><template><b>1</b></template></x-a>',
  ])('but no other template: %s', (html) => {
    expect(bodyOf(`<!doctype html><body>${html}`)).toBe(html);
  });

  it('unless pages are not composed', () => {
    const html = `<x-a>${root('<b>1</b>')}</x-a>`;
    expect(bodyOf(`<!doctype html><body>${html}`, false)).toBe(html);
  });

  it('for selectors and the text of the page, and keeps its mode', () => {
    const document = parseHtml(`<!doctype html><x-a>${root('<b class="P">1</b>')}</x-a>`);
    expect(selectElements(compileSelector('x-a > b.P'), document, null)).toHaveLength(1);
    expect(readPageText(document)).toBe('1');
    expect(document.quirks).toBe(false);
    expect(parseHtml(`<x-a>${root('<b>1</b>')}</x-a>`).quirks).toBe(true);
  });

  it('a template in itself ends where its text does', () => {
    const deep = root('<x-a>').replace('</template>', '').repeat(100);
    expect(() => parseHtml(`<!doctype html><x-a>${deep}`)).not.toThrow();
  });
});
