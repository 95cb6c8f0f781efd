import { describe, expect, it } from 'vitest';
import { compileSelector } from '../css/compile.ts';
import { selectElements } from '../css/select.ts';
import { PageRejected } from './adapter.ts';
import { baseUrlOf } from './base-url.ts';
import { isXml, parseXml } from './parse-xml.ts';
import { readPageText, readTextOf } from './read-text.ts';

function texts(xml: string, selector: string): string[] {
  const document = parseXml(xml);
  return selectElements(compileSelector(selector), document, null).map((element) =>
    readTextOf(document, element),
  );
}

const FEED = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY big "x">]><rss xmlns:dc="urn:dc"><channel>
<item><title><![CDATA[A & <b>]]></title><link>https://a.example/1</link><pubDate>today</pubDate><dc:Creator>Ana</dc:Creator><empty/><after>yes</after></item>
<item><title>B &amp; C &big; &#233;</title><link>https://a.example/2</link></item></channel></rss>`;

describe('parseXml', () => {
  it.each([
    ['title', ['A & <b>', 'B & C &big; é']],
    ['link', ['https://a.example/1', 'https://a.example/2']],
    ['item > pubDate', ['today']],
    ['item > pubdate', ['today']],
    ['creator', ['Ana']],
    ['dc\\:creator', ['Ana']],
    ['empty', ['']],
    ['empty + after', ['yes']],
    ['item:nth-of-type(2) title', ['B & C &big; é']],
  ])('finds %s', (selector, found) => {
    expect(texts(FEED, selector)).toEqual(found);
  });

  it('finds names in their own case where the page has them, else in any', () => {
    const xml = '<r><Item>1</Item><item>2</item><a:Name>3</a:Name><name>4</name><Other>5</Other></r>';
    expect(texts(xml, 'Item')).toEqual(['1']);
    expect(texts(xml, 'item')).toEqual(['2']);
    expect(texts(xml, 'ITEM')).toEqual(['1', '2']);
    expect(texts(xml, 'Name')).toEqual(['3']);
    expect(texts(xml, 'a\\:name')).toEqual(['3']);
    expect(texts(xml, 'r > other')).toEqual(['5']);
    expect(texts(xml, 'Item + item')).toEqual(['2']);
  });

  it.each([
    ['without ends', '<r><a>1<b>2', 'b', ['2']],
    ['with a strange end', '<r><a>1</x></a><b>2</b></r>', 'b', ['2']],
    ['with bare signs', '<r><a>1 & 2 < 3</a></r>', 'a', ['1 & 2 < 3']],
    ['with two roots', '<r><a>1</a></r><s><a>2</a></s>', 'a', ['1', '2']],
    ['with attributes without quotes', '<r><a x=1>1</a></r>', 'a[x="1"]', ['1']],
  ])('reads what is not well-formed: %s', (_what, xml, selector, found) => {
    expect(texts(xml, selector)).toEqual(found);
  });

  it('gives the whole text, and the base of the root', () => {
    const document = parseXml('<feed xml:base="/b/"><title>T</title> <script>s</script></feed>');
    expect(readPageText(document)).toBe('T s');
    expect(baseUrlOf(document, 'https://a.example/x')).toBe('https://a.example/b/');
  });

  it('refuses what is too deep or has too many attributes', () => {
    expect(() => parseXml('<a>'.repeat(3_000))).toThrow(PageRejected);
    const many = Array.from({ length: 3_000 }, (_, at) => `a${at}="1"`).join(' ');
    expect(() => parseXml(`<a ${many}/>`)).toThrow(PageRejected);
  });
});

describe('isXml', () => {
  it.each([
    ['by its type', '<rss/>', 'application/rss+xml'],
    ['as text', '<feed/>', 'text/xml; charset=utf-8'],
    ['called HTML', '<?xml version="1.0"?>\n<!-- c --><rss/>', 'text/html'],
    ['without a type', '<?xml version="1.0"?><rss/>', undefined],
    ['with a document type', '<!DOCTYPE x [<!ENTITY a "b">]><x/>', 'application/xml'],
  ])('sees XML %s', (_how, text, type) => {
    expect(isXml(text, type)).toBe(true);
  });

  it.each([
    ['XHTML', '<?xml version="1.0"?><html/>', 'application/xhtml+xml'],
    ['XHTML called HTML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html/>', 'text/html'],
    ['HTML called XML', '<!doctype html><html>', 'text/xml'],
    ['HTML', '<p>', 'text/html'],
    ['JSON', '{}', 'application/json'],
    ['nothing', '', 'text/xml'],
  ])('sees none in %s', (_what, text, type) => {
    expect(isXml(text, type)).toBe(false);
  });

  it('takes no longer for hostile begins', () => {
    for (const part of ['<!--', '<?xml ', '<!doctype ', '<?x?>', '<!doctype a [', ' ']) {
      expect(isXml(part.repeat(100_000), 'text/xml')).toBe(false);
    }
  });
});
