import { expect, it } from 'vitest';
import { checkSchema, compileParser, extract } from '@gleaner/extractors';
import { suggestSchema } from './suggest.ts';

function propose(value: unknown) {
  const page = { body: JSON.stringify(value) };
  const { schema, fields } = suggestSchema([page]);
  if (schema === null) return { schema, fields, data: null };
  expect(checkSchema(schema)).toMatchObject({ ok: true });
  const extraction = extract(compileParser(schema), page);
  return { schema, fields, data: extraction.ok ? extraction.data : extraction.failure };
}

it('a list of JSON is proposed with its columns, as they are there, also of objects inside of rows', () => {
  const items = [
    { id: 7, title: 'Lamp', price: 9.5, inStock: true, tags: ['a', 'b'], maker: { name: 'Ana', 'né-e': 1 } },
    { id: 8, title: 'Shade', price: 12, inStock: false, tags: [], maker: null, link: 'https://a.example/8' },
  ];
  const { data, schema } = propose({ page: 1, meta: { total: 2 }, data: { items }, empty: [] });
  expect(data).toEqual({
    items: [
      {
        id: 7,
        title: 'Lamp',
        price: 9.5,
        in_stock: true,
        tags: ['a', 'b'],
        maker_name: 'Ana',
        maker_n_e: 1,
        link: null,
      },
      {
        id: 8,
        title: 'Shade',
        price: 12,
        in_stock: false,
        tags: [],
        maker_name: null,
        maker_n_e: null,
        link: 'https://a.example/8',
      },
    ],
    page: 1,
    meta_total: 2,
    empty: [],
  });
  expect(schema?.fields['items']).toMatchObject({ json: { path: '$.data.items[*]' }, take: 'all' });
});

it('a list that is the whole page is called items', () => {
  expect(propose([{ n: 1 }, { n: 2 }]).data).toEqual({ items: [{ n: 1 }, { n: 2 }] });
});

it('one thing is proposed by its values, which are sure', () => {
  const { data, fields } = propose({
    name: 'Lamp',
    offers: { price: '9,50 €' },
    mixed: [1, { a: 1 }],
    explain: 'x',
  });
  expect(data).toEqual({ name: 'Lamp', offers_price: '9,50 €', mixed: [1, { a: 1 }], explain_2: 'x' });
  expect(fields.every(({ confidence }) => confidence > 0.5)).toBe(true);
});

it('values beside a list are offered, not sure', () => {
  const { fields } = propose({ total: 2, rows: [{ n: 1 }, { n: 2 }] });
  expect(Object.fromEntries(fields.map(({ path, confidence }) => [path, confidence > 0.5]))).toEqual({
    rows: true,
    'rows.n': true,
    total: false,
  });
});

it('JSON without values proposes nothing', () => {
  expect(propose({ a: null, b: {} }).schema).toBeNull();
  expect(propose([1, 2]).schema).toBeNull();
});
