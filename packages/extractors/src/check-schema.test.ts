import { describe, expect, it } from 'vitest';
import { checkSchema, compileParser, describeFault } from './check-schema.ts';

function faultsOf(field: unknown): string[] {
  const check = checkSchema({ fields: { f: field } });
  return check.ok ? [] : check.faults.map(describeFault);
}

describe('checkSchema', () => {
  it.each<[unknown, string]>([
    [
      { css: 'a', foo: 1 },
      'fields.f.foo: is not a known key; the keys here are css, xpath, jsonld, microdata, json, xhr, meta, const, page, any, attr, take, type, sibling, transform, locale, format, required, assert, default, key, fields',
    ],
    [{ selektor: 'a' }, 'fields.f.selektor: is not a known key; did you mean css?'],
    [{ selector: 'h1' }, 'fields.f.selector: is not a known key; did you mean css?'],
    [{ css: 'a', attribute: 'href' }, 'fields.f.attribute: is not a known key; did you mean attr?'],
    [
      { css: 'a', regex: 'x' },
      'fields.f.regex: is not a known key; did you mean "transform": [{"regex": …}]?',
    ],
    [
      { css: 'a', xpath: '//a' },
      'fields.f.xpath: is given together with css, but a field has one source; list several sources under any',
    ],
    [
      {},
      'fields.f: has no source: give one of css, xpath, jsonld, microdata, json, xhr, meta, const, page, any, or fields',
    ],
    [5, 'fields.f: must be a CSS selector such as "h1", or an object such as {"css": "h1"}, not 5'],
    [null, 'fields.f: must be a CSS selector such as "h1", or an object such as {"css": "h1"}, not null'],
    [['h1'], 'fields.f: must be a CSS selector such as "h1", or an object such as {"css": "h1"}, not a list'],
    ['', 'fields.f: must not be empty'],
    [' ', 'fields.f: must not be empty'],
    ['a[', 'fields.f: ends before the selector does (column 3)'],
    ['##', 'fields.f: is not a CSS selector from "##" on (column 1)'],
    ['a >', 'fields.f: a combinator needs a selector on its right'],
    [{ css: ['a', 'b >'] }, 'fields.f.css[1]: a combinator needs a selector on its right'],
    [{ css: 5 }, 'fields.f.css: must be a selector, or a list of selectors, not 5'],
    [{ css: [] }, 'fields.f.css: must have at least 1 item, not 0'],
    [{ css: ['a', 3] }, 'fields.f.css[1]: must be a text, not 3'],
    [{ xpath: '//a[' }, 'fields.f.xpath: is not a valid XPath: Expected end of input (column 4)'],
    [{ xpath: '//x:a' }, 'fields.f.xpath: is not a valid XPath: The prefix x could not be resolved.'],
    [{ xpath: '//a[foo()]' }, 'fields.f.xpath: the function foo() can’t be used'],
    [{ jsonld: '$..[' }, 'fields.f.jsonld: is not a JSONPath: unclosed bracketed selection (column 5)'],
    [{ jsonld: 'name' }, "fields.f.jsonld: is not a JSONPath: expected '$', found 'n' (column 1)"],
    [
      { json: '$.a' },
      'fields.f.json: must be an object such as {"script": "#data", "path": "$.name"}, not "$.a"',
    ],
    [
      { json: { script: 'a', paht: '$' } },
      'fields.f.json.path: is required\nfields.f.json.paht: is not a known key; did you mean path?',
    ],
    [
      { json: { script: '/(/', path: '$' } },
      'fields.f.json.script: is not a regular expression: missing closing ): `(` (column 2)',
    ],
    [
      { css: 'p', fields: { v: { json: { path: '$' } } } },
      'fields.f.fields.v.json: needs script: without it the whole page is read as JSON, and here elements are',
    ],
    [
      { css: 'a', transform: ['trimm'] },
      'fields.f.transform[0]: "trimm" is not a step; did you mean "trim"?',
    ],
    [
      { css: 'a', transform: ['shout'] },
      'fields.f.transform[0]: "shout" is not a step; the steps are "trim", "collapse", "lower", "upper", "unique", {"regex": "…"}, {"replace": ["…", "…"]}, {"split": "…"}, {"join": "…"}, {"slice": [0, 3]}, {"map": {…}}, {"strip": "…"}, {"template": "…{value}…"}',
    ],
    [{ css: 'a', transform: ['regex'] }, 'fields.f.transform[0]: "regex" needs a value: {"regex": …}'],
    [
      { css: 'a', transform: 'trim' },
      'fields.f.transform: must be a list of steps: ["collapse", "lower"], not "trim"',
    ],
    [
      { css: 'a', transform: [{ regexp: 'x' }] },
      'fields.f.transform[0]: {"regexp": …} is not a step; did you mean {"regex": …}?',
    ],
    [{ css: 'a', transform: [{ regex: 5 }] }, 'fields.f.transform[0].regex: must be a text, not 5'],
    [
      { css: 'a', transform: [{ trim: true }] },
      'fields.f.transform[0]: {"trim": …} is not a step; write "trim"',
    ],
    [
      { css: 'a', transform: [{ regex: 'x', split: ',' }] },
      'fields.f.transform[0]: has 2 steps (regex, split): write each as a separate object',
    ],
    [
      { css: 'a', transform: [{ regex: '(?=x)' }] },
      'fields.f.transform[0]: is not a regular expression: invalid or unsupported Perl syntax: `(?=`; patterns are RE2, without look-around and back-references (column 1)',
    ],
    [
      { css: 'a', transform: [{ regex: '(x' }] },
      'fields.f.transform[0]: is not a regular expression: missing closing ): `(x` (column 1)',
    ],
    [{ css: 'a', transform: [{ replace: 'x' }] }, 'fields.f.transform[0].replace: must be a list, not "x"'],
    [
      { css: 'a', transform: [{ replace: ['x'] }] },
      'fields.f.transform[0].replace: must have at least 2 items, not 1',
    ],
    [
      { css: 'a', transform: [{ slice: [1.5] }] },
      'fields.f.transform[0].slice[0]: must be a whole number, not 1.5',
    ],
    [
      { css: 'a', transform: [{ join: ',' }] },
      'fields.f.transform[0]: works on a list: take "all", or split the text in a step before',
    ],
    [
      { css: 'a', transform: [{ template: 'x' }] },
      'fields.f.transform[0].template: must contain {value}, which is replaced by the value',
    ],
    [
      { css: 'a', transform: [7] },
      'fields.f.transform[0]: 7 is not a step; the steps are "trim", "collapse", "lower", "upper", "unique", {"regex": "…"}, {"replace": ["…", "…"]}, {"split": "…"}, {"join": "…"}, {"slice": [0, 3]}, {"map": {…}}, {"strip": "…"}, {"template": "…{value}…"}',
    ],
    [
      { css: 'a', transform: [{ foo: 1 }] },
      'fields.f.transform[0]: {"foo": …} is not a step; the steps are "trim", "collapse", "lower", "upper", "unique", {"regex": "…"}, {"replace": ["…", "…"]}, {"split": "…"}, {"join": "…"}, {"slice": [0, 3]}, {"map": {…}}, {"strip": "…"}, {"template": "…{value}…"}',
    ],
    [{ css: 'a', transform: [{ map: [1] }] }, 'fields.f.transform[0].map: must be an object, not a list'],
    [
      { css: 'a', type: 'numbr' },
      'fields.f.type: must be one of string, number, integer, money, duration, rating, boolean, date, datetime, url, html, text, markdown, json, table, not "numbr"; did you mean number?',
    ],
    [
      { css: 'a', type: 'float' },
      'fields.f.type: must be one of string, number, integer, money, duration, rating, boolean, date, datetime, url, html, text, markdown, json, table, not "float"',
    ],
    [{ css: 'a', take: 'every' }, 'fields.f.take: must be one of first, all, count, exists, not "every"'],
    [
      { page: 'titel' },
      'fields.f.page: must be one of url, final_url, status, fetched_at, title, headline, language, text, markdown, main_html, html, links, responses, json, pages, published, modified, author, description, image, screenshot, pdf, not "titel"; did you mean title?',
    ],
    [{ css: 'a', required: 'yes' }, 'fields.f.required: must be true or false, not "yes"'],
    [{ css: 'a', assert: { min_items: 1.5 } }, 'fields.f.assert.min_items: must be a whole number, not 1.5'],
    [{ css: 'a', assert: { minn: 1 } }, 'fields.f.assert.minn: is not a known key; did you mean min?'],
    [
      { css: 'a', assert: { on_fail: 'ignore' } },
      'fields.f.assert.on_fail: must be one of fail, null, drop_row, not "ignore"',
    ],
    [
      { css: 'a', assert: 5 },
      'fields.f.assert: must be an object such as {"min": 1, "on_fail": "null"}, not 5',
    ],
    [
      { css: 'a', type: 'money', key: true },
      'fields.f.key: cannot be combined with type money, which gives two columns',
    ],
    [
      { css: 'a', assert: { min: 1 } },
      'fields.f.assert.min: compares numbers: it needs type number, integer, money, duration or rating, or take count',
    ],
    [
      { css: 'a', type: 'number', assert: { min: 3, max: 1 } },
      'fields.f.assert.min: is 3, greater than max, 1',
    ],
    [
      { css: 'a', assert: { pattern: '(' } },
      'fields.f.assert.pattern: is not a regular expression: missing closing ): `(` (column 1)',
    ],
    [
      { css: 'a', assert: { on_fail: 'drop_row' } },
      'fields.f.assert.on_fail: drop_row needs a row to drop, but this field is not in a list',
    ],
    [{ css: 'a', assert: { enum: [] } }, 'fields.f.assert.enum: must have at least 1 item, not 0'],
    [{ css: 'a', fields: {} }, 'fields.f.fields: is empty: name at least one field'],
    [
      { css: 'a', fields: ['b'] },
      'fields.f.fields: must be an object of field names and fields: {"title": "h1"}, not a list',
    ],
    [
      { css: 'a', fields: { 'B-b': 'c' } },
      'fields.f.fields.B-b: the name must be lower-case letters, digits and _, at most 63, and not start with a digit',
    ],
    [
      { css: 'a', fields: { _url: 'c' } },
      'fields.f.fields._url: the name is reserved: every row of a database has _url, _fetched_at, _run_id; choose another name',
    ],
    [
      { css: 'a', fields: { b: 'c' }, type: 'string' },
      'fields.f.type: cannot be combined with fields, which give an object',
    ],
    [{ fields: { a: 'b' }, take: 'all' }, 'fields.f.take: needs a source in addition to fields, such as css'],
    [
      { css: 'a', sibling: 'b', fields: { b: 'c' } },
      'fields.f.sibling: must start with + or ~, as in "+ tr.sub"',
    ],
    [
      { css: 'a', sibling: '+ b' },
      'fields.f.sibling: can only be used with fields: it selects the element that they read',
    ],
    [{ meta: 'a', attr: 'b' }, 'fields.f.attr: can only be used with css, xpath or any'],
    [
      { css: 'a', attr: '1x' },
      'fields.f.attr: must be the name of an attribute such as href, or html, inner_html, own_text or raw_text, not "1x"',
    ],
    [{ any: [] }, 'fields.f.any: must have at least 1 item, not 0'],
    [{ any: 'a' }, 'fields.f.any: must be a list of sources: [".price", {"meta": "price"}], not "a"'],
    [
      { any: ['a', 5] },
      'fields.f.any[1]: must be a CSS selector such as "h1", or an object such as {"css": "h1"}, not 5',
    ],
    [
      { any: ['a', { css: 'b', xpath: 'c' }] },
      'fields.f.any[1]: has 2 sources (css, xpath): give exactly one of css, xpath, jsonld, microdata, json, xhr, meta, const, page',
    ],
    [
      { any: ['a', {}] },
      'fields.f.any[1]: has no source: give exactly one of css, xpath, jsonld, microdata, json, xhr, meta, const, page',
    ],
    [{ any: [{ sss: 'a' }] }, 'fields.f.any[0].sss: is not a known key; did you mean css?'],
    [
      { css: 'a', locale: 'xx' },
      'fields.f.locale: xx is not a known language; write a tag such as de or en-GB',
    ],
    [{ css: 'a', locale: '!' }, 'fields.f.locale: must be a language tag such as de or pt-BR, not "!"'],
    [
      { css: 'a', type: 'date', format: 'dd.QQ.yyyy' },
      'fields.f.format: unknown pattern letters QQ (column 4)',
    ],
    [{ css: 'a', type: 'number', default: 'x' }, 'fields.f.default: must be of type number, not "x"'],
    [
      { css: 'a', take: 'count', type: 'number' },
      'fields.f.type: cannot be combined with take "count", which gives a number',
    ],
    [{ const: {} }, 'fields.f.const: must be a text or a number or true or false, not an object'],
    [{ const: null }, 'fields.f.const: must be a text or a number or true or false, not null'],
    [
      { xhr: '*/api' },
      'fields.f.xhr: must be an object such as {"url": "*/api/items*", "path": "$.items[*]"}, not "*/api"',
    ],
    [{ xhr: { url: '*' } }, 'fields.f.xhr.path: is required'],
    [
      { css: 'a', type: 'table', transform: ['trim'] },
      'fields.f.transform: cannot be combined with type table, which reads the whole element',
    ],
    [{ css: 'a', key: 1 }, 'fields.f.key: must be true or false, not 1'],
    [
      { jsonld: '$', fields: { b: 'c' } },
      'fields.f.fields.b: selects elements, but the enclosing match is JSON: use jsonld, or json without script',
    ],
    [
      { xpath: '//p[count(//p) > 0]' },
      'fields.f.xpath: a path from the root inside [ ] would search the whole page for every match',
    ],
    [{ xpath: 'for $a in 1 to 9 return $a' }, 'fields.f.xpath: for and let can’t be used'],
    [{ xpath: '1 to 100000000' }, 'fields.f.xpath: the range operator to can’t be used'],
    [{ xpath: 'doc("file:///etc/passwd")' }, 'fields.f.xpath: the function doc() can’t be used'],
    [
      { xpath: 'string-join(//a, fold-left(//a, "", concat#2))' },
      'fields.f.xpath: the function fold-left() can’t be used',
    ],
    [{ xpath: '//a[b[c[d[e]]]]' }, 'fields.f.xpath: predicates nest deeper than 3 levels'],
    [{ json: { script: 'a[', path: '$' } }, 'fields.f.json.script: ends before the selector does (column 3)'],
    [
      { css: 'a', transform: [{ regex: 'x', group: 2 }] },
      'fields.f.transform[0]: the pattern has 0 groups, not 2',
    ],
    [
      { css: 'a', transform: [{ regex: '((a{0,100}){0,100}){0,100}' }] },
      'fields.f.transform[0]: is not a regular expression: invalid repeat count: `{0,100}` (column 4)',
    ],
    [
      { css: 'a', type: 'number', assert: { min: 2, max: 1 } },
      'fields.f.assert.min: is 2, greater than max, 1',
    ],
    [
      { css: 'a', type: 'date', format: 'dd.MM' },
      'fields.f.format: needs a year (yyyy), a month (MM) and a day (dd) (column 1)',
    ],
    [
      { css: 'a', type: 'date', format: "dd.MM.yyyy 'a" },
      'fields.f.format: this quote is never closed (column 12)',
    ],
    [
      { css: 'a', type: 'date', format: "dd.MM 'yyyy'" },
      'fields.f.format: needs a year (yyyy), a month (MM) and a day (dd) (column 1)',
    ],
    [
      { any: ['b', { css: 'a', format: 'dd.MM' }], type: 'date' },
      'fields.f.any[1].format: needs a year (yyyy), a month (MM) and a day (dd) (column 1)',
    ],
    ['a@href@x', 'fields.f: only one @attribute can end a selector (column 2)'],
    [
      { any: ['b', { css: 'a', locale: 'de-aa-bb-cc' }], type: 'number' },
      'fields.f.any[1].locale: de-aa-bb-cc is not a known language; write a tag such as de or en-GB',
    ],
    [{ css: 'a', fields: { b: 'c[' } }, 'fields.f.fields.b: ends before the selector does (column 3)'],
    [{ any: ['a', 'b['] }, 'fields.f.any[1]: ends before the selector does (column 3)'],
    ['a'.repeat(1001), 'fields.f: must have at most 1000 characters, not 1001'],
  ])('%j: %s', (field, fault) => {
    expect(faultsOf(field).join('\n')).toBe(fault);
  });

  it('reports a faulty format once', () => {
    expect(faultsOf({ css: 'a', type: 'date', format: 'dd.MM' })).toHaveLength(1);
    expect(faultsOf({ any: ['a', 'b'], type: 'date', format: 'dd.MM' })).toHaveLength(1);
  });

  it.each(['yyyy-MM-dd', "yyyy-MM-dd'T'HH:mm", 'd/M/yy', '[yyyy] (MM) {dd} ^$.*+?|\\/-'])(
    'takes the format %s',
    (format) => {
      expect(faultsOf({ css: 'a', type: 'datetime', format })).toEqual([]);
    },
  );

  it('reports all faults together', () => {
    const check = checkSchema({
      fields: { a: 'x[', b: { xpath: '//[' }, c: { css: 'a', fields: { d: { jsonld: '$[' } } } },
    });
    expect(check.ok ? [] : check.faults.map(({ path }) => path)).toEqual([
      'fields.a',
      'fields.b.xpath',
      'fields.c.fields.d.jsonld',
    ]);
  });

  it.each([undefined, null, 'x', [], {}, { fields: [] }, { fields: { a: 'b' }, extra: 1 }])(
    'refuses %j',
    (input) => {
      expect(checkSchema(input).ok).toBe(false);
    },
  );

  it('limits the size of a schema', () => {
    const wide = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, 'a']));
    let deep: unknown = 'a';
    for (let level = 0; level < 10; level += 1) deep = { css: 'a', fields: { f: deep } };
    expect(checkSchema({ fields: wide })).toMatchObject({
      faults: [{ path: 'fields', reason: 'has more than 200 fields' }],
    });
    expect(checkSchema({ fields: { f: deep } })).toMatchObject({
      faults: [{ path: 'fields', reason: expect.stringContaining('levels deep') as string }],
    });
  });

  it('keeps the name of a column free for the currency of money', () => {
    const price = { css: 'b', type: 'money' };
    const reasonOf = (fields: object): unknown => {
      const check = checkSchema({ fields });
      return check.ok ? undefined : check.faults.map(({ path, reason }) => `${path} ${reason}`);
    };
    expect(reasonOf({ price, currency: 'i' })).toBeUndefined();
    expect(reasonOf({ price, price_currency: 'i' })).toEqual([
      'fields.price has type money, whose currency gets the column price_currency, which is a field too',
    ]);
    expect(reasonOf({ ['p'.repeat(54)]: price })).toBeUndefined();
    expect(reasonOf({ rows: { css: 'p', fields: { ['p'.repeat(55)]: price } } })).toEqual([
      expect.stringMatching(
        /^fields\.rows\.fields\.p+ has type money, so its name has at most 54 characters/,
      ),
    ]);
  });

  it('compileParser throws the error that the API returns', () => {
    expect(() => compileParser({ fields: { a: 'b[' } })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        options: { field: 'schema.fields.a', detail: 'fields.a: ends before the selector does (column 3)' },
      }),
    );
  });
});
