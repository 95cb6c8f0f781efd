import type { FieldType } from '@gleaner/contracts';
import { expect, expectTypeOf, test } from 'vitest';
import type { Client } from './client.ts';
import { defineParser, type InferParser } from './define-parser.ts';
import type { Json, Parser, ParserSchema } from './generated/operations.ts';

const product = defineParser({
  fields: {
    title: 'h1',
    sku: { css: '.sku', required: true, key: true },
    price: { css: ['.price', '.cost'], type: 'number', required: true },
    stock: { css: '.stock', type: 'integer', default: 0 },
    cost: { css: '.cost', type: 'money' },
    note: { css: '.note', default: null },
    ok: { css: '.ok', type: 'boolean' },
    day: { css: 'time', type: 'date' },
    at: { css: 'time@datetime', type: 'datetime', required: true },
    link: { css: 'a', type: 'url' },
    data: { json: { script: '#data', path: '$' }, type: 'json', required: true },
    sizes: { css: 'table', type: 'table', required: true },
    tags: { css: 'li', take: 'all' },
    prices: { css: 'li', take: 'all', type: 'number' },
    images: { css: 'img', take: 'count' },
    sale: { css: '.sale', take: 'exists' },
    few: { css: 'img', take: 'count', assert: { max: 3, on_fail: 'null' } },
    parts: { css: '.parts', transform: [{ split: ',' }, 'upper'] },
    joined: { css: 'li', take: 'all', transform: ['trim', { join: ' ' }] },
    checked: { css: '.c', required: true, assert: { pattern: 'x', on_fail: 'null' } },
    any: { any: [{ jsonld: '$..tags', transform: [{ split: ';' }] }, '.tags'] },
    maker: { css: '.maker', fields: { name: { css: 'b', required: true }, url: 'a@href' } },
    must: { css: '.maker', required: true, fields: { name: 'b' } },
    group: { fields: { x: 'i' } },
    rows: { css: 'tr', take: 'all', fields: { n: { css: 'td', type: 'integer', required: true } } },
  },
});

interface Product {
  title: string | null;
  sku: string;
  price: number;
  stock: number;
  cost: { amount: number; currency: string | null } | null;
  note: string | null;
  ok: boolean | null;
  day: string | null;
  at: string;
  link: string | null;
  data: Json;
  sizes: Record<string, string | null>[];
  tags: string[];
  prices: number[];
  images: number;
  sale: boolean;
  few: number | null;
  parts: string[];
  joined: string | null;
  checked: string | null;
  any: string[];
  maker: { name: string; url: string | null } | null;
  must: { name: string | null };
  group: { x: string | null };
  rows: { n: number }[];
}

test('a schema in code defines the type of its data', () => {
  expectTypeOf<InferParser<typeof product>>().toEqualTypeOf<Product>();
  expect(product.fields.price.type).toBe('number');
});

test('every type of the language has a TypeScript type', () => {
  type Values<T extends string> = InferParser<{ fields: { x: { css: 'a'; type: T; required: true } } }>['x'];
  expectTypeOf<Values<FieldType>>().not.toBeUnknown();
  expectTypeOf<Values<'a type of the future'>>().toBeUnknown();
  expectTypeOf<Values<'number' | 'a type of the future'>>().toBeUnknown();
  expect(product.fields.sku.key).toBe(true);
});

test('TypeScript checks a schema against the language', () => {
  // @ts-expect-error no such type
  defineParser({ fields: { price: { css: 'b', type: 'numbr' } } });
  // @ts-expect-error no such key
  defineParser({ fields: { price: { css: 'b', tpye: 'number' } } });
  // @ts-expect-error two sources
  defineParser({ fields: { price: { css: 'b', jsonld: '$..price' } } });
  // @ts-expect-error no source
  defineParser({ fields: { price: { type: 'number' } } });
  // @ts-expect-error two sources in a field of a group
  defineParser({ fields: { group: { fields: { price: { css: 'b', meta: 'price' } } } } });
  // @ts-expect-error two sources in an entry of `any`
  defineParser({ fields: { price: { any: [{ css: 'b', meta: 'price' }] } } });
  const wide: ParserSchema = { fields: { a: 'h1' } };
  expect(defineParser(wide)).toBe(wide);
  expect(defineParser({ fields: { a: 'h1' } } as const)).toEqual({ fields: { a: 'h1' } });
});

function check(client: Client, saved: Parser): void {
  expectTypeOf(client.scrape(product, 'https://a.example/')).resolves.toEqualTypeOf<Product>();
  expectTypeOf(
    client.scrape({ id: 'prs_1', schema: product }, 'https://a.example/'),
  ).resolves.toEqualTypeOf<Product>();
  expectTypeOf(client.parse(product, '<h1>x</h1>')).resolves.toEqualTypeOf<Product>();
  expectTypeOf(
    client.scrape('prs_1', { url: 'https://a.example/', useBrowser: true }),
  ).resolves.toEqualTypeOf<{
    [name: string]: unknown;
  }>();
  expectTypeOf(client.scrape(saved, 'https://a.example/')).resolves.toEqualTypeOf<{
    [name: string]: unknown;
  }>();
  void client.parsers.create({ name: 'p', schema: product }).then((parser) => {
    expectTypeOf(client.scrape(parser, 'https://a.example/')).resolves.toEqualTypeOf<Product>();
  });
  expectTypeOf(client.batches.create({ target: { type: 'parser', parserId: 'p' } })).resolves.toHaveProperty(
    'id',
  );
  expectTypeOf(
    client.batches.create({ target: { type: 'parser', parserId: 'p' }, dry_run: true }),
  ).resolves.toHaveProperty('refused');
  expectTypeOf(client.apis.call('videosite-video', { video_id: 'x' })).resolves.toHaveProperty('metrics');
  // @ts-expect-error no such API
  void client.apis.call('videosite-vidoe', { video_id: 'x' });
  // @ts-expect-error the API takes a video, not a user
  void client.apis.call('videosite-video', { username: 'x' });
}

test('calls return the type of their parser’s data', () => {
  // Checks only types; test/e2e runs the calls against a service.
  expect(check).toBeTypeOf('function');
});
