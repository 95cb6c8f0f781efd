import type { Field } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { checkSchema, compileParser } from '../check-schema.ts';
import type { Page } from '../page.ts';
import { extract } from './extract.ts';

const PAGE = `<!doctype html><html><head><title>Shop</title><meta property="og:title" content="OG"><meta name=Robots content=all>
<script type="application/ld+json">{"@graph":[{"@type":"Product","name":"Lamp","image":["a.jpg","b.jpg"],"offers":[{"price":"9.99"},{"price":19}]}]}</script>
<script>window.__STATE__ = {user: {id: 7, tags: ["x", "y"]}, none: null};</script></head><body>
<h1 title="T"> Hello <b>World</b> </h1><a class=next href="/p2?a=1&amp;b=2">Next</a><a href="javascript:void(0)">js</a><img src="//cdn.example/i.png">
<p class=price>1.234,50 €</p><p class=bad>Call us</p><p class=empty> </p><p class=date>3. März 2026</p><p class=tags>a, b ,c, a</p><p class=yes>Ja</p>
<p class=json>{"k": [1]}</p><p class=code>SKU: AB-12 / CD-34</p>
<ul><li>1</li><li>two</li><li>3</li></ul>
<table class=t><tr><th>K<th>V<tr><td>a<td>1</table>
<table class=rows><tr class=r><td class=n>A</td><td class=p>5</td></tr><tr class=s><td>sub A</td></tr>
<tr class=r><td class=n>B</td><td class=p>x</td></tr><tr class=r><td class=n></td><td class=p>7</td></tr></table>
<dl><dt>k1<dd>v1<dt>k2<dd>v2</dl></body></html>`;

const FACTS: Omit<Page, 'body'> = {
  url: 'https://shop.example/a',
  finalUrl: 'https://shop.example/dir/b',
  status: 200,
  fetchedAt: '2026-11-21T08:00:00.000Z',
  captures: [
    { url: 'https://shop.example/log', json: 'not JSON' },
    {
      url: 'https://api.shop.example/api/items?page=1',
      json: '{"items": [{"name": "a", "id": 9007199254740993}, {"name": "b"}]}',
    },
  ],
};

function run(field: Field, body = PAGE): ReturnType<typeof extract> {
  return extract(compileParser({ fields: { f: field } }), { ...FACTS, body });
}

function valueOf(field: Field, body = PAGE): unknown {
  const result = run(field, body);
  return result.ok ? result.data['f'] : result.failure.fields;
}

describe('every row of the schema language', () => {
  it.each<[string, Field, unknown]>([
    ['a string: the first match’s text', 'h1', 'Hello World'],
    ['a string: sel@attr', 'h1@title', 'T'],
    ['css', { css: 'h1' }, 'Hello World'],
    ['css in order until one matches', { css: ['.none', 'title', 'h1'] }, 'Shop'],
    ['css with an attribute in each', { css: ['.none@x', 'h1@title'] }, 'T'],
    ['a match without a value is a match', { css: ['.empty', 'h1'] }, null],
    ['xpath', { xpath: '//h1/b' }, 'World'],
    ['xpath in order', { xpath: ['//none', '//h1/@title'] }, 'T'],
    ['xpath: a text node', { xpath: '//li[2]/text()' }, 'two'],
    ['xpath: a value', { xpath: 'count(//li)', type: 'integer' }, 3],
    ['xpath: a string', { xpath: 'normalize-space(//h1)' }, 'Hello World'],
    ['jsonld', { jsonld: '$[?@["@type"]=="Product"].name' }, 'Lamp'],
    ['jsonld: all', { jsonld: '$..price', take: 'all', type: 'number' }, [9.99, 19]],
    ['jsonld: an array is its items', { jsonld: '$[0].image', take: 'all' }, ['a.jpg', 'b.jpg']],
    ['json by a pattern', { json: { script: '/__STATE__ = /', path: '$.user.id' }, type: 'integer' }, 7],
    [
      'json by a selector',
      { json: { script: 'head script:not([type])', path: '$.user.tags' }, take: 'all' },
      ['x', 'y'],
    ],
    ['json: null is absent', { json: { script: '/__STATE__/', path: '$.none' } }, null],
    ['meta by property', { meta: 'og:title' }, 'OG'],
    ['meta by name, any case', { meta: 'robots' }, 'all'],
    ['const', { const: 5, type: 'integer' }, 5],
    ['page url', { page: 'url' }, 'https://shop.example/a'],
    ['page final_url', { page: 'final_url' }, 'https://shop.example/dir/b'],
    ['page title', { page: 'title' }, 'Shop'],
    ['page language', { page: 'language' }, null],
    ['page links', { page: 'links' }, ['https://shop.example/p2?a=1&b=2']],
    ['page links: the first', { page: 'links', take: 'first' }, 'https://shop.example/p2?a=1&b=2'],
    ['page links: count', { page: 'links', take: 'count' }, 1],
    [
      'page responses, those with JSON',
      { page: 'responses', type: 'json', transform: [] },
      [
        {
          url: 'https://api.shop.example/api/items?page=1',
          body: '{"items": [{"name": "a", "id": 9007199254740993}, {"name": "b"}]}',
        },
      ],
    ],
    ['page text', { page: 'text', transform: [{ slice: [0, 18] }] }, 'Hello World\nNextjs'],
    [
      'page markdown of HTML',
      { page: 'html', type: 'markdown', transform: [{ slice: [0, 17] }] },
      '# Hello **World**',
    ],
    ['type text', { css: '.t', type: 'text' }, 'K\tV\na\t1'],
    ['type text of HTML in data', { const: '<p>a<br>b &amp; c</p>', type: 'text' }, 'a\nb & c'],
    ['type text of plain data', { const: 'a < b\nc', type: 'text' }, 'a < b\nc'],
    ['type markdown', { css: 'h1', type: 'markdown' }, '# Hello **World**'],
    [
      'type markdown of HTML in data',
      { const: '<a href="x">y</a>', type: 'markdown' },
      '[y](https://shop.example/dir/x)',
    ],
    ['xhr', { xhr: { url: '*/api/items?*', path: '$.items[*].name' }, take: 'all' }, ['a', 'b']],
    [
      'xhr with fields',
      { xhr: { url: '/api/*', path: '$.items[*]' }, take: 'all', fields: { id: { json: { path: '$.id' } } } },
      [{ id: '9007199254740993' }, { id: null }],
    ],
    ['xhr: no such response', { any: [{ xhr: { url: '*/none', path: '$' } }, 'title'] }, 'Shop'],
    ['page status', { page: 'status', type: 'integer' }, 200],
    ['page fetched_at', { page: 'fetched_at', type: 'datetime' }, '2026-11-21T08:00:00.000Z'],
    [
      'any: the first valid typed value',
      { any: ['.none', '.bad', { meta: 'og:title' }, '.price'], type: 'number', locale: 'de' },
      1234.5,
    ],
    [
      'any: a count that fails its assertion',
      { any: ['h1', 'li'], take: 'all', assert: { min_items: 3 } },
      ['1', 'two', '3'],
    ],
    ['any: too many', { any: ['li', 'h1 b'], take: 'all', assert: { max_items: 2 } }, ['World']],
    [
      'any: too few rows',
      { any: ['h1', '.r'], take: 'all', assert: { min_items: 2 }, fields: { n: '.n' } },
      [{ n: 'A' }, { n: 'B' }, { n: null }],
    ],
    [
      'any: too many rows',
      { any: ['li', 'h1'], take: 'all', assert: { max_items: 2 }, fields: { n: 'b' } },
      [{ n: 'World' }],
    ],
    [
      'any: rows that may be dropped do not make it try the next source',
      {
        any: ['.r', 'h1'],
        take: 'all',
        assert: { max_items: 2 },
        fields: { p: { css: '.p', type: 'integer', assert: { on_fail: 'drop_row' } } },
      },
      [{ p: 5 }, { p: 7 }],
    ],
    [
      'min_items counts the items of a JSON value',
      { jsonld: '$[0].image', type: 'json', assert: { min_items: 2 } },
      ['a.jpg', 'b.jpg'],
    ],
    ['any: kinds mixed', { any: [{ jsonld: '$[0].nothing' }, { xpath: '//title' }] }, 'Shop'],
    [
      'any: transforms of its own',
      { any: [{ css: '.code', transform: [{ regex: 'CD-(\\d+)' }] }], type: 'integer' },
      34,
    ],
    ['attr', { css: 'a.next', attr: 'href' }, '/p2?a=1&b=2'],
    ['attr html', { css: 'h1 b', attr: 'html' }, '<b>World</b>'],
    ['attr inner_html', { css: 'h1', attr: 'inner_html' }, 'Hello <b>World</b>'],
    ['attr own_text', { css: 'h1', attr: 'own_text' }, 'Hello'],
    ['take all', { css: 'li', take: 'all' }, ['1', 'two', '3']],
    ['take count', { css: 'li', take: 'count' }, 3],
    ['take count of nothing', { css: '.none', take: 'count' }, 0],
    ['take exists', { css: 'li', take: 'exists' }, true],
    ['take exists of nothing', { css: '.none', take: 'exists' }, false],
    ['type duration', { const: '2h 30m', type: 'duration' }, 9000],
    ['type rating', { const: '4,6 von 5', type: 'rating' }, { value: 4.6, best: 5 }],
    ['type money', { css: '.price', type: 'money' }, { amount: 1234.5, currency: 'EUR' }],
    ['type number with a locale', { css: '.price', type: 'number', locale: 'de' }, 1234.5],
    ['type boolean', { css: '.yes', type: 'boolean' }, true],
    ['type date', { css: '.date', type: 'date' }, '2026-03-03'],
    ['type datetime', { css: '.date', type: 'datetime' }, '2026-03-03T00:00:00.000Z'],
    ['type date with a format', { const: '04/03/2026', type: 'date', format: 'dd/MM/yyyy' }, '2026-03-04'],
    ['type url takes the address', { css: 'a.next', type: 'url' }, 'https://shop.example/p2?a=1&b=2'],
    ['type url of an image', { css: 'img', type: 'url' }, 'https://cdn.example/i.png'],
    ['type url: a script link is absent', { css: 'a:not(.next)', type: 'url' }, null],
    ['type html', { css: 'h1', type: 'html' }, '<h1 title="T"> Hello <b>World</b> </h1>'],
    ['type json of a text', { css: '.json', type: 'json' }, { k: [1] }],
    [
      'type json of data',
      { json: { script: '/__STATE__/', path: '$.user' }, type: 'json' },
      { id: 7, tags: ['x', 'y'] },
    ],
    ['type table', { css: '.t', type: 'table' }, [{ K: 'a', V: '1' }]],
    ['fields: an object', { css: 'h1', fields: { bold: 'b', t: '@title' } }, { bold: 'World', t: 'T' }],
    [
      'fields without a source group',
      { fields: { a: 'title', b: { fields: { c: 'h1' } } } },
      { a: 'Shop', b: { c: 'Hello World' } },
    ],
    ['fields: absent', { css: '.none', fields: { a: 'b' } }, null],
    [
      'fields with take all',
      { css: '.r', take: 'all', fields: { n: '.n' } },
      [{ n: 'A' }, { n: 'B' }, { n: null }],
    ],
    [
      'fields of JSON',
      { jsonld: '$..offers[*]', take: 'all', fields: { p: { jsonld: '$.price', type: 'number' } } },
      [{ p: 9.99 }, { p: 19 }],
    ],
    [
      'fields of JSON: json without a script',
      { json: { script: '/__STATE__/', path: '$.user' }, fields: { id: { json: { path: '$.id' } } } },
      { id: '7' },
    ],
    [
      'fields by xpath',
      { xpath: '//tr[@class="r"]', take: 'all', fields: { n: { xpath: 'td[1]' } } },
      [{ n: 'A' }, { n: 'B' }, { n: null }],
    ],
    [
      'sibling',
      { css: 'tr.r', fields: { sub: { css: ':scope', sibling: '+ tr.s', fields: { t: 'td' } } } },
      { sub: { t: 'sub A' } },
    ],
    [
      'sibling: pairs each dt with its dd',
      { css: 'dt', take: 'all', sibling: '+ dd', fields: { v: ':scope' } },
      [{ v: 'v1' }, { v: 'v2' }],
    ],
    [
      'transform: [] keeps the text unchanged',
      { css: 'h1', attr: 'raw_text', transform: [] },
      ' Hello World ',
    ],
    ['attr raw_text', { css: '.t', attr: 'raw_text' }, 'KVa1'],
    ['text breaks at rows and cells', '.t', 'K\tV\na\t1'],
    ['transform collapse', { const: ' a \n b ', transform: ['collapse'] }, 'a b'],
    ['transform lower', { css: 'h1', transform: ['lower'] }, 'hello world'],
    ['transform upper', { css: 'h1', transform: ['upper'] }, 'HELLO WORLD'],
    ['transform regex', { css: '.code', transform: [{ regex: '[A-Z]+-\\d+' }] }, 'AB-12'],
    ['transform regex group', { css: '.code', transform: [{ regex: '([A-Z]+)-(\\d+)', group: 2 }] }, '12'],
    ['transform regex named group', { css: '.code', transform: [{ regex: '(?<n>\\d+)', group: 'n' }] }, '12'],
    ['transform regex without a match', { css: '.code', transform: [{ regex: 'zzz' }] }, null],
    [
      'transform replace',
      { css: '.code', transform: [{ replace: ['([A-Z]{2})-(\\d+)', '$2$1'] }] },
      'SKU: 12AB / 34CD',
    ],
    ['transform split', { css: '.tags', transform: [{ split: ',' }] }, ['a', 'b', 'c', 'a']],
    ['transform unique', { css: '.tags', transform: [{ split: ',' }, 'unique'] }, ['a', 'b', 'c']],
    ['transform join', { css: 'li', take: 'all', transform: [{ join: '+' }] }, '1+two+3'],
    ['transform slice of a text', { css: 'h1', transform: [{ slice: [0, 5] }] }, 'Hello'],
    ['transform slice counts characters', { const: 'a😀b', transform: [{ slice: [0, 2] }] }, 'a😀'],
    ['transform slice from the end', { const: 'a😀b', transform: [{ slice: [-2] }] }, '😀b'],
    [
      'transform join leaves empty texts out',
      { xpath: '("a", " ", "b")', take: 'all', transform: [{ join: ',' }] },
      'a,b',
    ],
    ['transform slice of a list', { css: 'li', take: 'all', transform: [{ slice: [-2] }] }, ['two', '3']],
    ['transform map', { css: 'li', take: 'all', transform: [{ map: { two: '2', '3': null } }] }, ['1', '2']],
    [
      'transform map with *',
      { css: 'li', take: 'all', transform: [{ map: { two: 2, '*': 0 } }], type: 'integer' },
      [0, 2, 0],
    ],
    ['transform strip', { const: '--x-y--', transform: [{ strip: '-' }] }, 'x-y'],
    ['transform template', { css: 'li', transform: [{ template: 'n={value}&n={value}' }] }, 'n=1&n=1'],
    ['default', { css: '.none', default: 'd' }, 'd'],
    ['default of a list', { css: '.none', take: 'all', default: ['d'] }, ['d']],
    ['absent is null', { css: '.none' }, null],
    ['an absent list is []', { css: '.none', take: 'all' }, []],
    ['assert that holds', { css: 'li', type: 'integer', assert: { min: 1, max: 1 } }, 1],
    ['on_fail null', { css: '.bad', type: 'number', assert: { on_fail: 'null' } }, null],
    [
      'on_fail null leaves items out',
      { css: 'li', take: 'all', type: 'integer', assert: { on_fail: 'null' } },
      [1, 3],
    ],
    [
      'on_fail null of a list that is too short',
      { css: 'li', take: 'all', assert: { min_items: 9, on_fail: 'null' } },
      [],
    ],
    [
      'on_fail drop_row',
      {
        css: '.r',
        take: 'all',
        fields: { n: '.n', p: { css: '.p', type: 'integer', assert: { on_fail: 'drop_row' } } },
      },
      [
        { n: 'A', p: 5 },
        { n: null, p: 7 },
      ],
    ],
  ])('%s', (_row, field, expected) => {
    expect(checkSchema({ fields: { f: field } })).toMatchObject({ ok: true });
    expect(valueOf(field)).toEqual(expected);
  });

  it.each<[string, Field, string]>([
    [
      'a required field that nothing matches',
      { css: '.none', required: true },
      'required, but nothing matched',
    ],
    [
      'a required field whose match is empty',
      { css: '.empty', required: true },
      'required, but the match has no value',
    ],
    [
      'a required list that is empty',
      { css: '.none', take: 'all', required: true },
      'required, but nothing matched',
    ],
    ['a value that can’t take its type', { css: '.bad', type: 'number' }, '“Call us” is not a number'],
    ['any without a valid value', { any: ['.bad', '.none'], type: 'number' }, '“Call us” is not a number'],
    [
      'an item that can’t be converted to its type',
      { css: 'li', take: 'all', type: 'integer' },
      '“two” is not a number',
    ],
    ['assert min', { css: 'li', type: 'integer', assert: { min: 2 } }, '1 is less than 2'],
    ['assert max', { css: 'li', take: 'count', assert: { max: 2 } }, '3 is greater than 2'],
    ['assert pattern', { css: 'h1', assert: { pattern: '^X' } }, 'Hello World does not match ^X'],
    ['assert enum', { css: 'h1', assert: { enum: ['A'] } }, 'Hello World is not one of the allowed values'],
    [
      'any: all counts fail',
      { any: ['h1', 'li'], take: 'all', assert: { min_items: 4 } },
      'has 1 item, fewer than 4',
    ],
    [
      'any: all sources have too few rows',
      { any: ['h1', 'li'], take: 'all', assert: { min_items: 4 }, fields: { n: 'b' } },
      'has 1 item, fewer than 4',
    ],
    [
      'assert max_items of a JSON value',
      { jsonld: '$[0].image', type: 'json', assert: { max_items: 1 } },
      'has 2 items, more than 1',
    ],
    [
      'assert min_items of a table',
      { css: '.t', type: 'table', assert: { min_items: 2 } },
      'has 1 item, fewer than 2',
    ],
    ['assert min_items', { css: 'li', take: 'all', assert: { min_items: 4 } }, 'has 3 items, fewer than 4'],
    ['assert max_items', { css: 'li', take: 'all', assert: { max_items: 2 } }, 'has 3 items, more than 2'],
    [
      'assert min_items of a count',
      { css: 'li', take: 'count', assert: { min_items: 4 } },
      'has 3 items, fewer than 4',
    ],
    [
      'assert min_items of exists',
      { css: 'li', take: 'exists', assert: { min_items: 4 } },
      'has 3 items, fewer than 4',
    ],
    [
      'assert enum of exists',
      { css: '.none', take: 'exists', assert: { enum: [true] } },
      'false is not one of the allowed values',
    ],
    [
      'assert min_items of nothing',
      { css: '.none', take: 'all', assert: { min_items: 1 } },
      'has 0 items, fewer than 1',
    ],
    ['a table that is none', { css: 'h1', type: 'table' }, '“<h1>” is not a <table>'],
  ])('%s fails', (_row, field, reason) => {
    const result = run(field);
    expect(result).toMatchObject({
      ok: false,
      failure: { code: 'extraction_failed', fields: [{ path: 'f', reason }] },
    });
  });

  it('replaces and splits in the part of a text beyond the length limit of patterns', () => {
    const many = 'a,'.repeat(12_000);
    expect(valueOf({ css: 'p', transform: [{ replace: [',', ';'] }] }, `<p>${many}`)).toBe(
      many.replaceAll(',', ';'),
    );
    expect(valueOf({ css: 'p', take: 'all', transform: [{ split: ',' }] }, `<p>${many}`)).toHaveLength(
      12_000,
    );
    const long = `a${'b'.repeat(1_000_000)}a`;
    expect(valueOf({ css: 'p', transform: [{ replace: ['a', 'c'] }] }, `<p>${long}`)).toBe(
      `c${long.slice(1)}`,
    );
  });

  it('stops a transform that makes a value too large, instead of cutting the value', () => {
    const step = { replace: ['.+', '$&'.repeat(1_000)] };
    const grow = { css: 'p', transform: [step, step] };
    const split: Field = { css: 'p', take: 'all', transform: [{ split: ',' }, { slice: [-1] }] };
    for (const [field, page, reason] of [
      [grow, `<p>${'a'.repeat(100)}`, 'the result has more than 64,000,000 characters'],
      [split, `<p>${'a,'.repeat(200_001)}`, 'the result has more than 200,000 values'],
    ] as const) {
      expect(run(field as Field, page)).toMatchObject({ ok: false, failure: { detail: reason } });
    }
  });

  const thrice = Array.from({ length: 3 }, () => ({ template: '{value}'.repeat(285) }));
  const TOO_LONG = 'the result has more than 64,000,000 characters';
  it.each<[string, Field, string, string]>([
    ['a template', { css: 'p', transform: thrice }, '<p>' + 'ж'.repeat(20), TOO_LONG],
    [
      'join',
      {
        css: 'p',
        transform: [{ split: ',' }, { join: 'x'.repeat(200) }, 'upper', { template: '{value}{value}' }],
      },
      `<p>${'a,'.repeat(190_000)}`,
      TOO_LONG,
    ],
    [
      'steps together',
      {
        css: 'p',
        transform: ['upper', 'lower', 'collapse', 'upper', 'lower', 'upper', 'lower', 'upper', 'lower'],
      },
      `<p>${'a'.repeat(15_000_000)}`,
      'the values and what their steps build have more than 128,000,000 characters',
    ],
    [
      'XPath that joins the page with itself',
      { xpath: `upper-case(concat(${Array.from({ length: 34 }, () => '.').join(',')}))` },
      `<p>${'ж'.repeat(4_000_000)}`,
      'the XPath reads more than 128,000,000 characters of the page',
    ],
    [
      'XPath with a long separator',
      { xpath: 'string-join(//i, //p)' },
      `<p>${'a'.repeat(200_000)}</p>${'<i>b</i>'.repeat(1_000)}`,
      'the XPath reads more than 128,000,000 characters of the page',
    ],
    [
      'a spanning cell of a table',
      { css: 'table', type: 'table' },
      `<table><tr><td colspan=1000>${'a'.repeat(100_000)}</table>`,
      TOO_LONG,
    ],
    [
      'JSON inside JSON',
      { jsonld: '$..*', take: 'all', type: 'json' },
      `<script type="application/ld+json">${'{"a":'.repeat(100)}"${'a'.repeat(1_000_000)}"${'}'.repeat(100)}</script>`,
      TOO_LONG,
    ],
  ])('%s that makes too much ends at its field', (_what, field, page, reason) => {
    expect(run(field, page)).toMatchObject({
      ok: false,
      failure: { code: 'extraction_failed', detail: reason, fields: [{ path: 'f', reason }] },
    });
  });

  it('starts each extraction with the whole budget', () => {
    const page = `<p>${'a'.repeat(10_000_000)}`;
    const field: Field = { css: 'p', transform: ['upper', 'lower', 'upper', { slice: [0, 1] }] };
    for (let time = 0; time < 5; time += 1) expect(valueOf(field, page)).toBe('A');
  });

  it('strips and slices characters of two code units', () => {
    const steps = (transform: Field): unknown => valueOf(transform, '<p>😀a😀b😀</p>');
    expect(steps({ css: 'p', transform: [{ strip: '😀' }] })).toBe('a😀b');
    expect(steps({ css: 'p', transform: [{ slice: [1, 3] }] })).toBe('a😀');
    expect(steps({ css: 'p', transform: [{ slice: [-2] }] })).toBe('b😀');
    expect(steps({ css: 'p', transform: [{ slice: [-9, -4] }] })).toBe('😀');
    expect(steps({ css: 'p', transform: [{ slice: [4, 1] }] })).toBe(null);
  });

  it('joins values of every kind in XPath', () => {
    expect(valueOf({ xpath: 'string-join(//li, "+")' })).toBe('1+two+3');
    expect(valueOf({ xpath: 'string-join((1, 2.5, true(), "x"), ",")' })).toBe('1,2.5,true,x');
    expect(valueOf({ xpath: 'string-join(//b)' })).toBe('World');
  });

  it('names the row, the selector and the reason of each failure in one line', () => {
    const result = run({
      css: '.r',
      take: 'all',
      fields: { n: { css: '.n', required: true }, p: { css: '.p', type: 'integer' } },
    });
    expect(result).toMatchObject({
      ok: false,
      failure: {
        detail: 'f[1].p (.p): “x” is not a number; f[2].n (.n): required, but the match has no value',
      },
    });
  });

  it('reports what each field matched', () => {
    expect(
      run({
        css: '.r',
        take: 'all',
        fields: { n: ['x', '.n'].length === 2 ? { css: ['.none', '.n'] } : '.n' },
      }).fields,
    ).toEqual([
      { path: 'f', matched: true, value_count: 3, selector: '.r' },
      { path: 'f.n', matched: true, value_count: 2, selector: '.n' },
    ]);
  });

  it('leaves relative URLs unchanged when the address of the page is unknown', () => {
    const parser = compileParser({ fields: { u: { css: 'a', type: 'url' } } });
    expect(extract(parser, { body: '<a href="/x">' })).toMatchObject({ data: { u: '/x' } });
    expect(extract(parser, { body: '<base href="https://b.example/d/"><a href="x">' })).toMatchObject({
      data: { u: 'https://b.example/d/x' },
    });
    expect(
      extract(parser, { body: '<base href="/d/"><a href="x">', url: 'https://a.example/' }),
    ).toMatchObject({
      data: { u: 'https://a.example/d/x' },
    });
  });

  it('returns nothing from a script value that can’t be read, and reports why', () => {
    const body = '<script>window.X = {a: new Date(0), items: [1, 2]};</script>';
    const json = { script: '/window.X = /', path: '$' };
    expect(valueOf({ json, type: 'json' }, body)).toBeNull();
    expect(valueOf({ json, type: 'json', required: true }, body)).toMatchObject([
      { reason: 'required, but the script’s value can’t be read: it is not plain data' },
    ]);
    const parser = compileParser({ fields: { f: { json, type: 'json' } } });
    expect(extract(parser, { body }, { explain: true }).explain?.[0]).toMatchObject({
      sources: [{ reason: 'the script’s value can’t be read: it is not plain data' }],
      reason: 'the script’s value can’t be read: it is not plain data',
    });
  });

  it('keeps every digit of ids in JSON', () => {
    const id = '1234567890123456789';
    const body = `<script type="application/ld+json">{"id":${id}}</script><script>x = {id: ${id}, a: f};y = {id: ${id}}</script><p>{"id":${id}}</p>`;
    expect(valueOf({ jsonld: '$[0].id' }, body)).toBe(id);
    expect(valueOf({ json: { script: '/y =/', path: '$.id' } }, body)).toBe(id);
    expect(valueOf({ css: 'p', type: 'json' }, body)).toEqual({ id });
    expect(valueOf({ jsonld: '$[0]', type: 'json' }, body)).toEqual({ id });
    expect(valueOf({ jsonld: '$[0].id', type: 'number' }, body)).toBe(Number(id));
    expect(valueOf({ jsonld: '$[0].id', type: 'integer' }, body)).toMatchObject([
      { reason: expect.stringContaining('is too large to be exact') as string },
    ]);
  });

  it.each([' java&#10;script:1', '&#1;JavaScript:x', 'java&#9;script&#13;:alert(1)', 'vbscript:x'])(
    'treats the link %s as absent',
    (href) => {
      const field: Field = { css: 'a', type: 'url' };
      expect(valueOf(field, `<a href="${href}">x</a>`)).toBeNull();
      expect(extract(compileParser({ fields: { f: field } }), { body: `<a href="${href}">` })).toMatchObject({
        data: { f: null },
      });
    },
  );

  it.each<[Field, unknown]>([
    ['a@data-X', '1'],
    [{ css: 'a', attr: 'DATA-x' }, '1'],
    [{ xpath: '//a/@data-X' }, '1'],
    [{ xpath: '//a[@data-X="1"]/attribute::HREF' }, '/y'],
    [{ xpath: 'concat(//a/@Data-X, "@Data-X")' }, '1@Data-X'],
    ['svg@viewBox', '0 0 1 1'],
    [{ xpath: '//svg/@viewBox' }, '0 0 1 1'],
    [{ json: { script: 'a@DATA-J', path: '$.k' } }, 'v'],
  ])('finds attributes of HTML in any case: %j', (field, value) => {
    const body = `<a data-x=1 href=/y data-j='{"k":"v"}'>z</a><svg viewBox="0 0 1 1"></svg>`;
    expect(valueOf(field, body)).toBe(value);
  });

  it('removes NULs and lone surrogates from texts and JSON', () => {
    const body =
      '<p>a&#xD800;b</p><script type="application/ld+json">{"k\\u0000":"x\\u0000\\ud800"}</script>';
    expect(valueOf({ jsonld: '$[0]', type: 'json' }, body)).toEqual({ k: 'x\uFFFD' });
    expect(valueOf('p', body)).toBe('a\uFFFDb');
  });

  it('reads <noscript> like a browser with scripting disabled', () => {
    expect(valueOf('noscript img@src', '<body><noscript><img src=a></noscript>')).toBe('a');
    expect(valueOf({ css: 'p', take: 'count' }, '<template><p>x</p></template><p>y</p>')).toBe(1);
    expect(valueOf('table > tbody > tr > td', '<table><tr><td>implied</table>')).toBe('implied');
  });
});
