import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallResult, OperationServices } from '../../operations/operation-entry.ts';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestAccount, type TestServices } from '../../testing/test-services.ts';

let door: Omit<TestServices, 'services'> & { services: OperationServices };
let services: OperationServices;
let apiKey: string;
beforeAll(async () => {
  door = await openTestDoor();
  ({ services } = door);
  ({ apiKey } = await createTestAccount(services));
});
afterAll(() => door.close());

function productPage(title: string, price: string): string {
  const rows = ['one', 'two', 'three', 'four'].map(
    (name, index) =>
      `<li class="offer"><span class="shop">${title} ${name}</span> <b class="cost">€ ${index + 3}.50</b></li>`,
  );
  return `<!doctype html><title>${title}</title><h1 class="title">${title}</h1>
    <dl><dt>Price:</dt><dd class="price">${price}</dd></dl><ul class="offers">${rows.join('')}</ul>`;
}

function suggest(body: unknown): Promise<CallResult> {
  return callOnce(services, 'suggestParser', { apiKey }, { body });
}

interface Suggested {
  schema: { fields: Record<string, unknown> };
  fields: { path: string; confidence: number; reason: string; missed: unknown[] }[];
}

describe('suggest', () => {
  test('gives a schema that reads the examples and the same fields of another page, free', async () => {
    const result = await suggest({
      pages: [
        {
          html: productPage('Blue kettle', '€ 1,234.50'),
          examples: {
            title: 'Blue kettle',
            price: 1234.5,
            offers: [
              { shop: 'Blue kettle one', cost: 3.5 },
              { shop: 'Blue kettle two', cost: 4.5 },
            ],
          },
        },
      ],
    });
    expect(result.credits).toEqual({ used: 0, remaining: 1_000 });
    const { schema, fields } = valueOf(result) as Suggested;
    expect(fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['title', 'price', 'offers', 'offers.shop', 'offers.cost']),
    );
    expect(fields.flatMap(({ missed }) => missed)).toEqual([]);
    const { answer } = await callOnce(
      services,
      'previewParser',
      { apiKey },
      {
        body: { schema, html: productPage('Red pan', '€ 20.00') },
      },
    );
    expect(answer.kind === 'json-text' ? JSON.parse(answer.jsonText) : answer).toMatchObject({
      data: {
        title: 'Red pan',
        price: 20,
        offers: [{ shop: 'Red pan one', cost: 3.5 }, {}, {}, { shop: 'Red pan four', cost: 6.5 }],
      },
    });
  });

  test('proposes the records and the main facts of a page without examples', async () => {
    const { schema } = valueOf(
      await suggest({ pages: [{ html: productPage('Blue kettle', '€ 9.00') }] }),
    ) as Suggested;
    expect(Object.keys(schema.fields)).toEqual(expect.arrayContaining(['title', 'price', 'items']));
  });

  test('answers null and says why when no example is on the page', async () => {
    const { schema, fields } = valueOf(
      await suggest({ pages: [{ html: '<p>nothing</p>', examples: { isbn: '978-3-16-148410-0' } }] }),
    ) as Suggested;
    expect(schema).toBeNull();
    expect(fields).toMatchObject([{ path: 'isbn', confidence: 0, missed: [{ page: 0 }] }]);
  });

  test.each([
    ['no page', { pages: [] }, 'invalid_request', 'pages'],
    ['a page without html and url', { pages: [{}] }, 'invalid_request', 'pages[0].html'],
    ['a reserved name', { pages: [{ html: '<p>a', examples: { _url: 'a' } }] }, 'invalid_request', undefined],
    ['a blank page', { pages: [{ html: '  ' }] }, 'invalid_request', 'pages[0].html'],
    ['a page too deep', { pages: [{ html: '<div>'.repeat(20_000) }] }, 'extraction_failed', 'pages'],
  ])('refuses %s', async (_name, body, code, field) => {
    const error = await refusalOf(suggest(body));
    expect(error.code).toBe(code);
    if (field !== undefined) expect(error.options.field).toBe(field);
  });
});
