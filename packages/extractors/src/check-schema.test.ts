import { describe, expect, it } from 'vitest';
import { checkSchema, compileParser, describeFault } from './check-schema.ts';

function faultsOf(field: unknown): string[] {
  const check = checkSchema({ fields: { f: field } });
  return check.ok ? [] : check.faults.map(describeFault);
}

describe('checkSchema', () => {
  it.each<[unknown, string]>([
    [{ css: 'a', foo: 1 }, 'fields.f.foo: unknown key'],
    [{ css: 'a', xpath: '//a' }, 'fields.f.xpath: can’t stand beside css; use any for several sources'],
    [{}, 'fields.f: needs a source (css, xpath, jsonld, microdata, json, meta, const, page, any) or fields'],
    [5, 'fields.f: is none of the forms that are allowed here'],
    ['', 'fields.f: expected string to have >=1 characters'],
    ['a[', 'fields.f: not a CSS selector here (column 3)'],
    [{ css: ['a', 'b >'] }, 'fields.f.css[1]: a combinator needs a selector on its right'],
    [{ xpath: '//a[' }, 'fields.f.xpath: XPST0003: Failed to parse script. Expected end of input (column 4)'],
    [{ xpath: '//x:a' }, 'fields.f.xpath: XPST0081: The prefix x could not be resolved.'],
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
    [{ jsonld: '$..[' }, "fields.f.jsonld: unclosed bracketed selection ('$..[':4) (column 5)"],
    [{ json: { script: 'a[', path: '$' } }, 'fields.f.json.script: not a CSS selector here (column 3)'],
    [
      { json: { script: '/(/', path: '$' } },
      'fields.f.json.script: error parsing regexp: missing closing ): `(` (column 2)',
    ],
    [{ json: { path: '$' } }, 'fields.f.json: needs a script; only inside a JSON match it has none'],
    [
      { css: 'a', transform: [{ regex: '(?=x)' }] },
      'fields.f.transform[0]: error parsing regexp: invalid or unsupported Perl syntax: `(?=` (column 1)',
    ],
    [
      { css: 'a', transform: [{ regex: 'x', group: 2 }] },
      'fields.f.transform[0]: the pattern has 0 groups, not 2',
    ],
    [
      { css: 'a', transform: [{ regex: '((a{0,100}){0,100}){0,100}' }] },
      'fields.f.transform[0]: error parsing regexp: invalid repeat count: `{0,100}` (column 4)',
    ],
    [{ css: 'a', transform: ['shout'] }, 'fields.f.transform[0]: is none of the forms that are allowed here'],
    [{ css: 'a', transform: [{ join: ',' }] }, 'fields.f.transform[0]: needs a list'],
    [
      { css: 'a', assert: { pattern: '(' } },
      'fields.f.assert.pattern: error parsing regexp: missing closing ): `(` (column 1)',
    ],
    [{ css: 'a', assert: { min: 1 } }, 'fields.f.assert.min: needs type number or integer'],
    [{ css: 'a', type: 'number', assert: { min: 2, max: 1 } }, 'fields.f.assert.min: is greater than max'],
    [
      { css: 'a', assert: { on_fail: 'drop_row' } },
      'fields.f.assert.on_fail: drop_row needs an enclosing list',
    ],
    [{ css: 'a', take: 'count', type: 'number' }, 'fields.f.type: doesn’t go with take: "count"'],
    [
      { css: 'a', type: 'date', format: 'dd.QQ.yyyy' },
      'fields.f.format: unknown pattern letters QQ (column 4)',
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
    [{ css: 'a', locale: 'xx' }, 'fields.f.locale: xx is no language that is known'],
    [
      { any: ['b', { css: 'a', locale: 'de-aa-bb-cc' }], type: 'number' },
      'fields.f.any[1].locale: de-aa-bb-cc is no language that is known',
    ],
    [{ css: 'a', locale: '!' }, 'fields.f.locale: must be a language tag like de or pt-BR'],
    [{ css: 'a', type: 'number', default: 'x' }, 'fields.f.default: must be of type number'],
    [{ css: 'a', fields: { b: 'c[' } }, 'fields.f.fields.b: not a CSS selector here (column 3)'],
    [{ css: 'a', fields: {} }, 'fields.f.fields: needs at least one field'],
    [{ css: 'a', fields: { 'B-b': 'c' } }, 'fields.f.fields.B-b: name must match ^[a-z_][a-z0-9_]{0,62}$'],
    [{ css: 'a', fields: { b: 'c' }, type: 'string' }, 'fields.f.type: doesn’t go with fields'],
    [{ css: 'a', sibling: 'b', fields: { b: 'c' } }, 'fields.f.sibling: must start with + or ~'],
    [{ css: 'a', sibling: '+ b' }, 'fields.f.sibling: only goes with fields'],
    [{ meta: 'a', attr: 'b' }, 'fields.f.attr: only goes with css, xpath or any'],
    [
      { jsonld: '$', fields: { b: 'c' } },
      'fields.f.fields.b: the enclosing match is JSON, which has no elements',
    ],
    [
      { any: ['a', { css: 'b', xpath: 'c' }] },
      'fields.f.any[1]: needs exactly one of css, xpath, jsonld, microdata, json, meta, const, page',
    ],
    [{ any: ['a', 'b['] }, 'fields.f.any[1]: not a CSS selector here (column 3)'],
    [{ css: 'a', type: 'table', transform: ['trim'] }, 'fields.f.transform: doesn’t go with type table'],
    ['a'.repeat(1001), 'fields.f: expected string to have <=1000 characters'],
  ])('%j: %s', (field, fault) => {
    expect(faultsOf(field)).toContain(fault);
  });

  it('names a faulty format once', () => {
    expect(faultsOf({ css: 'a', type: 'date', format: 'dd.MM' })).toHaveLength(1);
    expect(faultsOf({ any: ['a', 'b'], type: 'date', format: 'dd.MM' })).toHaveLength(1);
  });

  it.each(['yyyy-MM-dd', "yyyy-MM-dd'T'HH:mm", 'd/M/yy', '[yyyy] (MM) {dd} ^$.*+?|\\/-'])(
    'takes the format %s',
    (format) => {
      expect(faultsOf({ css: 'a', type: 'datetime', format })).toEqual([]);
    },
  );

  it('names all faults at once', () => {
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

  it('bounds the size of a schema', () => {
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

  it('lets compileParser throw what the API answers', () => {
    expect(() => compileParser({ fields: { a: 'b[' } })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        options: { field: 'schema.fields.a', detail: 'fields.a: not a CSS selector here (column 3)' },
      }),
    );
  });
});
