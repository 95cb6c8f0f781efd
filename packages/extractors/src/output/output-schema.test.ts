import type { Field, Fields, ParserSchema } from '@gleaner/contracts';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { checkSchema, compileParser, parserSchemaJsonSchema } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { keyFields, outputColumns } from './columns.ts';
import { outputSchema } from './output-schema.ts';

/** Rounds of random schemas over random pages; more through the environment. */
const ROUNDS = inject('isLong') ? 8_000 : 150;

const css = fc.constantFrom(
  'p',
  'li',
  'a',
  '.x',
  'td',
  'tr',
  'table',
  '.none',
  'p, li',
  'a@href',
  'li:nth-child(2)',
  'div > p',
  '*',
);
const xpath = fc.constantFrom(
  '//p',
  '//a/@href',
  '//li[1]/text()',
  'count(//p)',
  './/td',
  '//none',
  '//p = 1',
);
const jsonPath = fc.constantFrom('$', '$[0]', '$..a', '$[*].n', '$..*', '$.none');

const transform = fc.array(
  fc.constantFrom(
    'trim' as const,
    'collapse' as const,
    'upper' as const,
    { regex: '(\\d+)' },
    { replace: ['[a-z]+', '7'] as [string, string] },
    { split: ',' },
    { slice: [0, 3] as [number, number] },
    { map: { a: 1, '7': null, '*': true } },
    { strip: '-' },
    { template: '{value}5' },
  ),
  { maxLength: 3 },
);

const type = fc.constantFrom(
  'string',
  'number',
  'integer',
  'money',
  'duration',
  'rating',
  'boolean',
  'date',
  'datetime',
  'url',
  'html',
  'json',
  'table',
);

const source = fc.oneof(
  css.map((selector) => ({ css: selector })),
  fc.array(css, { minLength: 1, maxLength: 3 }).map((selectors) => ({ css: selectors })),
  xpath.map((path) => ({ xpath: path })),
  jsonPath.map((path) => ({ jsonld: path })),
  jsonPath.map((path) => ({ microdata: path })),
  jsonPath.map((path) => ({ json: { script: '/x = /', path } })),
  fc.constantFrom(
    { meta: 'd' },
    { const: 5 },
    { const: 'c' },
    { page: 'url' as const },
    { page: 'status' as const },
  ),
  fc
    .array(
      fc.oneof(
        css,
        xpath.map((path) => ({ xpath: path })),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((any) => ({ any })),
);

const assertion = fc.record(
  {
    min_items: fc.nat(3),
    max_items: fc.integer({ min: 3, max: 6 }),
    min: fc.integer({ min: 0, max: 3 }),
    max: fc.integer({ min: 2, max: 9 }),
    pattern: fc.constantFrom('\\d', '^[a-z]'),
    enum: fc.constantFrom<(string | number | boolean)[]>([true], [1, 'x', true], ['7', 2]),
    on_fail: fc.constantFrom('null', 'fail', 'drop_row'),
  },
  { requiredKeys: [] },
);

const leaf = fc
  .tuple(
    source,
    fc.record(
      {
        take: fc.constantFrom('first', 'all', 'count', 'exists'),
        type,
        transform,
        required: fc.boolean(),
        default: fc.constantFrom('http://a.example/d', 4, true, null, [], ['https://a.example/d']),
        assert: assertion,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([from, rest]) => ({ ...from, ...rest }))
  // Most random schemas are invalid combinations; they extract nothing and are skipped.
  .filter((field) => checkSchema({ fields: { list: { css: 'p', take: 'all', fields: { field } } } }).ok);

function named(field: fc.Arbitrary<Field>): fc.Arbitrary<Fields> {
  return fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), field, {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  });
}

const nested = fc
  .tuple(css, named(leaf), fc.constantFrom('first', 'all'), fc.boolean())
  .map(([selector, fields, take, required]) => ({ css: selector, fields, take, required }));

const schemas: fc.Arbitrary<ParserSchema> = named(fc.oneof({ weight: 3, arbitrary: leaf }, nested)).map(
  (fields) => ({ fields }),
);

const pieces = fc.constantFrom(
  '<p>',
  '<p class=x>1',
  '</p>',
  '<li>a,b',
  '<ul>',
  '</ul>',
  '<a href="/x?y">l</a>',
  '<a href="javascript:1">',
  '<table>',
  '<tr>',
  '<td>1.5',
  '<td>3. März 2026',
  '</table>',
  '<div>',
  '</div>',
  'text',
  ' 12,5 ',
  'true',
  '2026-01-01',
  '<script type="application/ld+json">[{"a":{"a":[1,"x",null]},"n":2}]</script>',
  '<script type="application/ld+json">{</script>',
  '<script>x = {a: [1, {n: "2026-01-01"}], n: null}</script>',
  '<i itemscope><b itemprop=a>z</b></i>',
  '<meta name=d content="9">',
  '\0',
  '&#xD800;',
  '&amp;',
  '<!--',
  '-->',
  '<template><p>t</template>',
  '<base href="//[">',
  '{"k":1}',
);

const pages = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(''));

describe('outputSchema', () => {
  it('accepts all data that a random schema extracts from a random page', () => {
    let produced = 0;
    fc.assert(
      fc.property(schemas, pages, (schema, body) => {
        const check = checkSchema(schema);
        fc.pre(check.ok);
        if (!check.ok) return;
        const result = extract(compileParser(check.schema), { body, url: 'https://a.example/', status: 200 });
        if (!result.ok) {
          expect(result.failure.detail).not.toBe('');
          return;
        }
        produced += 1;
        // Clients receive the data as JSON.
        const data: unknown = JSON.parse(JSON.stringify(result.data));
        const validated = z.fromJSONSchema(outputSchema(check.schema)).safeParse(data);
        expect(validated.error?.issues ?? [], JSON.stringify({ schema, body, data })).toEqual([]);
        for (const { name, nullable } of outputColumns(check.schema) ?? []) {
          if (!nullable) expect(result.data[name], name).not.toBeNull();
        }
      }),
      { numRuns: ROUNDS, maxSkipsPerRun: 1_000 },
    );
    expect(produced).toBeGreaterThan(ROUNDS / 5);
  });

  it('types every kind of field', () => {
    const schema: ParserSchema = {
      fields: {
        s: 'p',
        n: { css: 'p', type: 'number', required: true, assert: { min: 1, max: 5 } },
        e: { css: 'p', assert: { enum: ['a', 'b'] } },
        l: { css: 'p', take: 'all', type: 'date', assert: { min_items: 2 } },
        t: { css: 'table', type: 'table' },
        o: { css: 'p', fields: { x: { css: 'b', take: 'exists' } } },
      },
    };
    expect(outputSchema(schema)).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['s', 'n', 'e', 'l', 't', 'o'],
      properties: {
        s: { type: ['string', 'null'] },
        n: { type: 'number', minimum: 1, maximum: 5 },
        e: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
        l: { type: 'array', items: { type: 'string', format: 'date' }, minItems: 2 },
        t: { type: ['array', 'null'] },
        o: { type: ['object', 'null'], properties: { x: { type: 'boolean' } } },
      },
    });
  });
});

describe('outputColumns', () => {
  const schema: ParserSchema = {
    fields: {
      sku: { css: 'a', key: true, required: true },
      price: { css: 'p', type: 'number' },
      stock: { css: 'p', type: 'integer' },
      cost: { css: 'p', type: 'money', required: true },
      costs: { css: 'p', type: 'money', take: 'all' },
      ok: { css: 'p', take: 'exists' },
      n: { css: 'p', take: 'count' },
      day: { css: 'p', type: 'date' },
      at: { css: 'p', type: 'datetime' },
      tags: { css: 'p', take: 'all' },
      parts: { css: 'p', transform: [{ split: ',' }] },
      rows: {
        css: 'tr',
        take: 'all',
        fields: { id: { css: 'td', key: true }, more: { css: 'b', take: 'all', fields: { x: 'i' } } },
      },
      page: { fields: { rows: { css: 'li', take: 'all', fields: { y: { css: 'b', type: 'boolean' } } } } },
    },
  };

  it('assigns each top-level field a column type', () => {
    expect(
      outputColumns(schema)?.map(
        ({ name, type: column, nullable }) => `${name} ${column}${nullable ? '' : ' not null'}`,
      ),
    ).toEqual([
      'sku text not null',
      'price double precision',
      'stock bigint',
      'cost double precision not null',
      'cost_currency text',
      'costs jsonb not null',
      'ok boolean not null',
      'n bigint not null',
      'day date',
      'at timestamptz',
      'tags jsonb not null',
      'parts jsonb not null',
      'rows jsonb not null',
      'page jsonb not null',
    ]);
    expect(keyFields(schema)).toEqual(['sku']);
  });

  it('returns the columns of a list’s rows', () => {
    expect(outputColumns(schema, 'rows')?.map(({ name }) => name)).toEqual(['id', 'more']);
    expect(outputColumns(schema, 'page.rows')?.map(({ type: column }) => column)).toEqual(['boolean']);
    expect(keyFields(schema, 'rows')).toEqual(['id']);
    expect(['sku', 'page', 'none', 'rows.more', 'tags'].map((rows) => outputColumns(schema, rows))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});

describe('the published JSON Schema of the language', () => {
  it('accepts and rejects the same schemas as the API', () => {
    const published = z.fromJSONSchema(parserSchemaJsonSchema());
    expect(
      published.safeParse({
        fields: { a: 'h1', b: { css: ['x'], take: 'all', fields: { c: { const: 1 } } } },
      }).success,
    ).toBe(true);
    for (const wrong of [
      {},
      { fields: { a: 5 } },
      { fields: { a: { css: 'x', foo: 1 } } },
      { fields: { a: 'b' }, more: 1 },
    ]) {
      expect(published.safeParse(wrong).success).toBe(false);
    }
  });
});
