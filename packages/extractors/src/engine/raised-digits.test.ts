import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from './extract.ts';

function read(html: string, field: object = {}): unknown {
  const parser = compileParser({ fields: { n: { css: '.p', type: 'number', ...field } } });
  const extraction = extract(parser, { body: `<p class=p>${html}</p>` });
  return extraction.ok && extraction.data.n;
}

describe('digits that stand higher on the page', () => {
  it.each([
    ['12<sup>99</sup> €', 12.99],
    ['$12 <sup>99</sup>', 12.99],
    ['12<sup>,99 €</sup>', 12.99],
    ['12,<sup>99</sup> €', 12.99],
    ['<sup>$</sup>1,299<sup>50</sup>', 1299.5],
    ['<span>1.299</span><span class="price__cents">95</span> €', 1299.95],
    ['<b>12</b><i class=priceFraction>05</i>', 12.05],
    ['12<sub>99</sub> €', 12.99],
    ['$12<small>99</small>', 12.99],
    ['<span>12<sup>99</sup></span>', 12.99],
  ])('are cents behind a price: %s', (html, expected) => {
    expect(read(html)).toBe(expected);
    expect(read(html, { transform: ['trim', 'collapse'] })).toBe(expected);
  });

  it.each([
    ['19.99<sup>1</sup>', 19.99],
    ['19,99 €<sup>12</sup>', 19.99],
    ['19.99<sup>12</sup>', 19.99],
    ['25 m<sup>2</sup>', 25],
    ['1500<sup>*</sup>', 1500],
  ])('are no further digits: %s', (html, expected) => {
    expect(read(html)).toBe(expected);
  });

  it.each([
    ['<sup>12,99 €</sup>', 12.99],
    ['<b>12</b><i>99</i>', 1299],
    ['<span class="cents">99</span>', 99],
    ['2 × <sup>12,99 €</sup>', 12.99],
  ])('are an own number without one before them: %s', (html, expected) => {
    expect(read(html)).toBe(expected);
  });

  it('stay as they are for steps of the parser, and for texts', () => {
    expect(read('12<sup>99</sup>', { transform: [{ replace: [String.raw`(\d\d)$`, '.$1'] }] })).toBe(12.99);
    expect(read('12<sup>99</sup>', { type: 'string' })).toBe('1299');
  });

  it('are shown as raised digits by explain', () => {
    const parser = compileParser({ fields: { n: { css: 'p', type: 'money' } } });
    const { explain } = extract(parser, { body: '<p>12<sup>99</sup> €' }, { explain: true });
    expect(explain?.[0]?.sources[0]).toMatchObject({
      raw: ['12⁹⁹ €'],
      value: { amount: 12.99, currency: 'EUR' },
    });
  });
});

describe('a number that is crossed out', () => {
  it.each([
    ['<del>$20</del> <ins>$10</ins>', 10],
    ['<s>$20</s> $10', 10],
    ['$10 <strike>$20</strike>', 10],
    ['<span><span style="color: red; text-decoration: line-through">$20</span><b>$10</b></span>', 10],
    ['<span style="text-decoration-line:line-through">$20</span> $10<sup>99</sup>', 10.99],
    ['<s>$30</s> <s>$20</s> $10', 10],
    [
      '<del><bdi>$9.00</bdi></del> <span class="screen-reader-text">Original price was: $9.00.</span><ins><bdi>$5.00</bdi></ins>',
      5,
    ],
  ])('is not read beside another: %s', (html, expected) => {
    expect(read(html)).toBe(expected);
    expect(read(html, { type: 'money' })).toEqual({ amount: expected, currency: 'USD' });
  });

  it('is read alone, where a field selects it, and in texts', () => {
    expect(read('<del>$20</del>')).toBe(20);
    expect(read('<del>$20</del> sold out')).toBe(20);
    expect(read('<del>$20</del> $10', { css: 'del' })).toBe(20);
    expect(read('<del>$20</del> $10', { type: 'string' })).toBe('$20 $10');
  });
});
