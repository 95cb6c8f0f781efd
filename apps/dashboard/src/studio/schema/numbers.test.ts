import { expect, it } from 'vitest';
import { isCodeName, isNumberText } from './numbers.ts';

it.each(['12,50 €', '$1,204.99', '40 %', '7', '-3', '2021', "1'204.50", '1 204,50 kr'])(
  'takes %s for a number',
  (text) => expect(isNumberText(text)).toBe(true),
);

it.each([
  '00013803119251',
  '4006381333931',
  '978-3-16-148410-0',
  '+49 30 123456',
  '030 12345',
  '12345678',
  '(40%)',
  '12-05-2024',
  '1.2.3.4',
  'a lamp',
  '',
])('takes %s for a text', (text) => expect(isNumberText(text)).toBe(false));

it('knows names of codes', () => {
  expect(['ean', 'item_id', 'gtin13', 'phone', 'zip_code', 'order_number'].every(isCodeName)).toBe(true);
  expect(['price', 'width', 'idea', 'notes', 'rating'].some(isCodeName)).toBe(false);
});
