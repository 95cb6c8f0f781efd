import { expect, it } from 'vitest';
import { keyText, nameOfRow, valuesOf, stepsOf, valuesOverTime, type Change } from './tell-change.ts';

function change(kind: Change['kind'], day: number, values: Partial<Change>): Change {
  const at = `2026-11-0${day}T10:00:00.000Z`;
  return { id: String(day), kind, key: { sku: 'A-1', shop: 3 }, at, run_id: `bat_${day}`, ...values };
}

it('lists changed values, the values of a new row and those of a removed row', () => {
  const changed = change('changed', 1, {
    before: { price: 49, text: { bytes: 70_000, sha256: 'ab' }, stock: 4 },
    after: { price: 45.5, text: 'short', stock: null },
  });
  expect(keyText(changed.key)).toBe('A-1, 3');
  expect(valuesOf(changed)).toEqual([
    { name: 'price', before: '49', after: '45.5' },
    { name: 'text', before: 'text of 70000 bytes', after: 'short' },
    { name: 'stock', before: '4', after: '–' },
  ]);
  const row = { sku: 'A-1', shop: 3, price: 1, stock: null, _url: 'http://a/' };
  expect(valuesOf(change('new', 1, { row }))).toEqual([{ name: 'price', after: '1' }]);
  expect(valuesOf(change('removed', 1, { before: row }))).toEqual([{ name: 'price', before: '1' }]);
});

it('lists the values of each column that changed, newest first', () => {
  const told = valuesOverTime([
    change('new', 1, { row: { sku: 'A-1', price: 1, name: 'Kettle', _url: 'http://a/' } }),
    change('changed', 2, { before: { price: 1, stock: 2 }, after: { price: 3, stock: 5 } }),
    change('removed', 3, { before: { sku: 'A-1', price: 3, name: 'Kettle', stock: 5 } }),
    change('returned', 4, { row: { sku: 'A-1', price: 3, name: 'Kettle', stock: 5 } }),
  ]);
  const flat = told.map(({ name, held }) => [
    name,
    ...held.map(({ value, at: seen }) => [value, seen?.slice(9, 10)]),
  ]);
  expect(flat).toEqual([
    ['price', ['3', '4'], [undefined, '3'], ['3', '2'], ['1', '1']],
    ['name', ['Kettle', '4'], [undefined, '3'], ['Kettle', '1']],
    ['stock', ['5', '4'], [undefined, '3'], ['5', '2'], ['2', undefined]],
  ]);
  expect(told[0]?.held[0]?.runId).toBe('bat_4');
  expect(told.map(({ held }) => stepsOf(held).map(({ value }) => value))).toEqual([[1, 3, 3], [], [5, 5]]);
});

it('calls a row with an address by its title, else by its path before its host', () => {
  const key = { _url: 'https://www.shop.test/cups/12/' };
  expect(nameOfRow(change('new', 1, { key, row: { ...key, price: 3, title: 'Blue cup' } }))).toBe('Blue cup');
  expect(nameOfRow(change('changed', 1, { key, before: { price: 3 }, after: { price: 4 } }))).toBe(
    'cups/12 · shop.test',
  );
  expect(nameOfRow(change('changed', 1, { key: { _url: 'http://127.0.0.1:80/' }, after: {} }))).toBe(
    '127.0.0.1:80',
  );
  expect(nameOfRow(change('new', 1, { row: { name: 'Kettle' } }))).toBe('A-1, 3');
});
