import { expect, it } from 'vitest';
import { createNumberReader } from './number.ts';

const AMOUNTS = new Map([
  ['1,234,567.89', 1_234_567.89],
  ['1.234.567,89', 1_234_567.89],
  ['1 234 567,89', 1_234_567.89],
  ["1'234'567.89", 1_234_567.89],
  ['12,34,567.89', 1_234_567.89],
  ['1 234,50', 1234.5],
  ['1\u00A0234,50', 1234.5],
  ['1\u202F234,50', 1234.5],
  ['1. 234,50', 1234.5],
  ['1.234, 50', 1234.5],
  ['1,234. 50', 1234.5],
  ['1.234.567', 1_234_567],
  ['12 345 678', 12_345_678],
  ['٣٬٤٥٦٫٧٨', 3456.78],
  ['۱۲٬۳۴۵', 12_345],
  ['१२,३४५.६७', 12_345.67],
  ['１，２３４．５６', 1234.56],
  ['0,99', 0.99],
  ['1 299', 1299],
]);

const AROUND = [
  '# zł|# Kč|CHF #|#,- kr|R$ #|AED #|# د.إ|₹#|# ₽|# грн|# ₺|# лв.|EUR#|EUR # each|USD # per night|Rs. # only',
  'Price: # USD (incl. VAT 20%)|# EUR inkl. 19 % MwSt.|ab # €|-25% # €|Now # € (-40%)|2 x # €|Item 4711: # EUR',
  '# €/Stk|# €/100 g|#€ TTC|~# EUR|Sale price # USD|# €*',
].flatMap((line) => line.split('|'));

it.each(AROUND)('reads the whole number in %s, or none', (around) => {
  const read = createNumberReader();
  const wrong = [...AMOUNTS].flatMap(([written, amount]) => {
    const reading = read(around.replace('#', written));
    const isRight = reading.state === 'value' ? reading.value === amount : reading.state === 'invalid';
    return isRight ? [] : [{ written, reading }];
  });
  expect(wrong).toEqual([]);
});

it.each(['USD 1.234, 50 each', 'EUR 1,299. 10 left'])('reads no number in %s: it has one or two', (text) => {
  expect(createNumberReader()(text)).toMatchObject({ state: 'invalid' });
});

it.each([
  ['$35, 20 left', 35],
  ['USD 1,234, 20% off', 1234],
])('reads the price in %s', (text, amount) => {
  expect(createNumberReader()(text)).toMatchObject({ state: 'value', value: amount });
});
