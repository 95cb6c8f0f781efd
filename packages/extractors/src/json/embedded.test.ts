import { describe, expect, it } from 'vitest';
import { parseHtml } from '@gleaner/html';
import { readJsonLd } from './json-ld.ts';
import { parseJsonText, readLooseValue } from './loose-value.ts';
import { readMicrodata } from './microdata.ts';
import { compileScriptFinder, readScriptData } from './script-data.ts';

describe('readLooseValue', () => {
  it.each<[string, unknown]>([
    ['{"a": [1, 2.5, -3e2, true, null]}', { a: [1, 2.5, -300, true, null] }],
    [`{a: 'x', "b": "y", 'c': \`z\`, 1: 2,}`, { a: 'x', b: 'y', c: 'z', 1: 2 }],
    ['[1, 2,]', [1, 2]],
    ['{a: undefined, b: void 0, c: !0, d: !1, e: NaN}', { a: null, b: null, c: true, d: false, e: null }],
    ['/* c */ {a: 1 // d\n}', { a: 1 }],
    [String.raw`"\x41\u0042\u{43}\n\/\'"`, "ABC\n/'"],
    ['JSON.parse("{\\"a\\":[1]}")', { a: [1] }],
    ["{a: JSON.parse('[1]')}", { a: [1] }],
    ['{"a": 1}; more()', { a: 1 }],
    ['0x1F', 31],
    ['10n', 10],
    ['+5', 5],
    ['-1.5', -1.5],
    ['{a: 9007199254740991, b: -9007199254740991}', { a: 9007199254740991, b: -9007199254740991 }],
    [
      '{a: 1234567890123456789, b: -1234567890123456789n, c: +9007199254740993}',
      { a: '1234567890123456789', b: '-1234567890123456789', c: '9007199254740993' },
    ],
    ['0x112210F47DE98115', '1234567890123456789'],
    [`{a: JSON.parse('{"id":1234567890123456789}')}`, { a: { id: '1234567890123456789' } }],
  ])('%s', (text, value) => {
    expect(readLooseValue(text)?.value).toEqual(value);
  });

  it.each(['{a: f()}', '{a: b}', '`${x}`', '{a', '[1', '"x', 'alert(1)', '{"a": 1 + 1}', '('])(
    '%s is no data',
    (text) => {
      expect(readLooseValue(text)).toBeUndefined();
    },
  );

  it('keeps every digit of whole numbers in JSON, and leaves other numbers unchanged', () => {
    const text =
      '{"a":[1234567890123456789,-9007199254740993,9007199254740991],"b":1.50000000000000000,"c":1e20}';
    expect(parseJsonText(text)).toEqual({
      a: ['1234567890123456789', '-9007199254740993', 9007199254740991],
      b: 1.5,
      c: 1e20,
    });
    const named = parseJsonText('{"__proto__":{"x":1234567890123456789}}');
    expect(Object.keys(named ?? {})).toEqual(['__proto__']);
  });

  it('treats __proto__ as a plain name', () => {
    const value = readLooseValue('{__proto__: {x: 1}}')?.value;
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('rejects values nested too deep in both notations', () => {
    expect(readLooseValue('['.repeat(600) + ']'.repeat(600))).toBeUndefined();
    expect(parseJsonText('['.repeat(600) + ']'.repeat(600))).toBeUndefined();
    expect(parseJsonText('['.repeat(400) + ']'.repeat(400))).toBeDefined();
    expect(parseJsonText(JSON.stringify('['.repeat(600)))).toBe('['.repeat(600));
  });
});

describe('readJsonLd', () => {
  const read = (...blocks: string[]): unknown =>
    readJsonLd(
      parseHtml(blocks.map((block) => `<script type="application/ld+json">${block}</script>`).join('')),
    );

  it('flattens arrays and @graph', () => {
    expect(read('{"a":1}', '[{"a":2},{"@graph":[{"a":3},{"a":4}]}]')).toEqual([
      { a: 1 },
      { a: 2 },
      { a: 3 },
      { a: 4 },
    ]);
  });

  it('reads the other blocks when one is broken', () => {
    expect(read('{"a":1}', '{"a":', '{"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it.each([
    '<!-- {"a":1} -->',
    '//<![CDATA[\n{"a":1}\n//]]>',
    '/*<![CDATA[*/{"a":1}/*]]>*/',
    '{"a":1};',
    '{"a":1,}',
    '\n{"a":\n1}',
    '<!-- made by a plugin --> {"a":1}',
    '<!-- a --><!-- b -->\n{"a":1}',
    '/* made by a plugin */ {"a":1}',
    '// made by a plugin\n{"a":1}',
    '{&quot;a&quot;:1}',
    '[{&#34;a&#34;:1}]',
  ])('reads what publishers write: %s', (block) => {
    expect(read(block)).toEqual([{ a: 1 }]);
  });

  it('accepts line breaks inside texts', () => {
    expect(read('{"a":"x\ny"}')).toEqual([{ a: 'x\ny' }]);
  });

  it('reads only scripts of type application/ld+json', () => {
    const page = parseHtml(
      '<script>{"a":1}</script><SCRIPT TYPE="Application/LD+JSON; charset=utf-8">{"a":2}</SCRIPT>',
    );
    expect(readJsonLd(page)).toEqual([{ a: 2 }]);
  });
});

describe('readScriptData', () => {
  const read = (finder: string, html: string): unknown =>
    readScriptData(compileScriptFinder(finder), parseHtml(html)).values;

  it.each<[string, string, unknown[]]>([
    ['script#__NEXT_DATA__', '<script id=__NEXT_DATA__ type="application/json">{"a":1}</script>', [{ a: 1 }]],
    ['script', '<script>window.__X__ = {"a":1};</script>', [{ a: 1 }]],
    ['script', '<script>var x=JSON.parse("{\\"a\\":1}")</script>', [{ a: 1 }]],
    ['script', '<script>(function(){ boot({a:1}) })()</script>', [{ a: 1 }]],
    ['script', '<script type=x>{&quot;a&quot;:1}</script>', [{ a: 1 }]],
    ['div@data-page', '<div data-page="{&quot;a&quot;:1}">', [{ a: 1 }]],
    [
      String.raw`/window\.__X__/`,
      '<script>var y={b:2};window.__X__ = {a:1,b:"}"};z={}</script>',
      [{ a: 1, b: '}' }],
    ],
    [String.raw`/__X__\s*=\s*/`, '<script>x</script><script>__X__ = [1,2]</script>', [[1, 2]]],
    ['/STATE = /i', '<script>state = {"a":1}</script>', [{ a: 1 }]],
    ['/x = (?:y \\|\\| )?({)/', '<script>x = y || {a:1}</script>', [{ a: 1 }]],
    ['script', '<script>f(function(){ return 1 })</script>', []],
    ['/X = /', '<script>X = {a: new Date(0), items:[1,2]};</script>', []],
    ['/X/', '<script>X = [f(), {a:1}];</script>', []],
    ['/X = /', '<script>X = {a: new Date(0)};</script><script>X = {b: 1}</script>', [{ b: 1 }]],
    ['/X = /', '<script>X = wrap({a:1})</script>', [{ a: 1 }]],
    ['script', '<script type=x>{"a":{"b":1},"c":</script>', []],
  ])('%s in %s', (finder, html, values) => {
    expect(read(finder, html)).toEqual(values);
  });
});

describe('readMicrodata', () => {
  it('returns items in the shape of JSON-LD', () => {
    const html = `<div itemscope itemtype="https://schema.org/Product" itemref=more><h1 itemprop=name>N</h1>
      <div itemprop=offers itemscope itemtype="http://schema.org/Offer"><meta itemprop=price content=5><link itemprop=availability href=In></div>
      <span itemprop=tag>a</span><span itemprop=tag>b</span></div><p id=more><b itemprop=sku>S</b></p>`;
    expect(readMicrodata(parseHtml(html))).toEqual([
      {
        '@type': 'Product',
        name: 'N',
        offers: { '@type': 'Offer', price: '5', availability: 'In' },
        tag: ['a', 'b'],
        sku: 'S',
      },
    ]);
  });
});
