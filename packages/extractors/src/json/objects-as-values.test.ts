import { describe, expect, it } from 'vitest';
import type { FieldType } from '@gleaner/contracts';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';

function read(type: FieldType, json: unknown, transform?: 'collapse'): unknown {
  const field = { jsonld: '$[0]', type, ...(transform === undefined ? {} : { transform: [transform] }) };
  const parser = compileParser({ fields: { f: field } });
  const body = `<script type="application/ld+json">${JSON.stringify(json)}</script>`;
  const page = { body, url: 'https://a.example/x', fetchedAt: '2026-03-03T10:00:00.000Z' };
  const result = extract(parser, page, { explain: true });
  return result.ok ? (result.data.f ?? result.explain?.[0]?.reason) : result.failure;
}

const PRICE = { price: '10.50', priceCurrency: 'EUR' };

describe('an object that a field of one value matches', () => {
  it.each<[type: FieldType, json: object]>([
    ['number', { gtin13: '4006381333931', offers: PRICE }],
    ['number', PRICE],
    ['integer', { id: 77, value: 12 }],
    ['number', { sku: 'A-123', n: 5 }],
    ['money', { sku: '8812', name: 'Pen' }],
    ['money', { centAmount: 1299, currencyCode: 'EUR', fractionDigits: 2 }],
    ['money', { amount: 1299, currency: 'USD', precision: 2 }],
    ['money', { offers: [PRICE, { ...PRICE, price: '12' }] }],
    ['money', { sku: '8812', priceSpecification: { ...PRICE, priceType: 'https://schema.org/ListPrice' } }],
    ['date', { d: '2026-01-02', u: '2026-02-03' }],
    ['datetime', { d: '2026-01-02T10:00:00Z' }],
    ['duration', { time: 'PT20M', id: 1 }],
    ['boolean', { a: true }],
    ['rating', { name: '4 of 5' }],
    ['url', { '@type': 'ImageObject', url: '/a.jpg' }],
    ['url', PRICE],
  ])('is no %s: %j', (type, json) => {
    expect(read(type, json)).toMatch(/is an object, not a single value$/);
    expect(read(type, json, 'collapse')).toMatch(/is an object, not a single value$/);
    const parser = compileParser({ fields: { f: { css: 'p@data-x', type } } });
    expect(extract(parser, { body: `<p data-x='[${JSON.stringify(json)}]'>` }).data).toEqual({ f: null });
  });

  it.each<[what: string, json: object]>([
    ['an offer', PRICE],
    ['the offer of a product', { '@type': 'Product', gtin13: '4006381333931', offers: PRICE }],
    ['several offers of one price', { sku: '1', offers: [PRICE, { sku: '2', ...PRICE }] }],
    ['a specification', { '@type': 'Offer', sku: '8812', priceSpecification: PRICE }],
    [
      'a specification beside a former price and one of another amount',
      {
        priceCurrency: 'EUR',
        priceSpecification: [
          { price: '20', priceType: 'https://schema.org/StrikethroughPrice' },
          { price: '1.05', referenceQuantity: { value: 100 } },
          { price: '10.50' },
        ],
      },
    ],
    ['the price as an object', { price: { amount: '10.50', currencyCode: 'EUR' } }],
  ])('is money by %s', (_what, json) => {
    expect(read('money', json)).toEqual({ amount: 10.5, currency: 'EUR' });
  });

  it('is a rating by its parts, and a text as it is', () => {
    expect(read('rating', { ratingValue: '4.6', bestRating: 5 })).toEqual({ value: 4.6, best: 5 });
    expect(read('string', { a: 1 })).toBe('{"a":1}');
    expect(read('number', [{ a: 1 }, 12])).toMatch(/is an object/);
  });
});
