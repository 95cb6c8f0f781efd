import { expect, it } from 'vitest';
import { comparedColumns, losesValue, resultColumns } from './compared-columns.ts';

it('shows lost values first, then changed ones, then equal ones', () => {
  const rows = [
    {
      data: { title: 'Mug', price: null, stock: 3 },
      current: { data: { title: 'Mug', price: 12, stock: 4 } },
    },
    { data: { title: 'Cup', price: null, stock: 3 }, current: null },
  ] as unknown as Parameters<typeof comparedColumns>[0];
  expect(comparedColumns(rows)).toEqual(['price', 'stock', 'title']);
});

it('has at most twelve columns, and none for results that are no objects', () => {
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index]));
  expect(resultColumns([{ data: wide }, { data: { other: 1 } }])).toHaveLength(12);
  expect(resultColumns([{ data: null }, { data: 'text' }, { data: { a: 1 } }])).toEqual(['a']);
});

it('knows a row that would take a value away', () => {
  const current = { fetched_at: null, data: { title: 'Mug', price: 12 } };
  expect(losesValue({ data: { title: 'Mug', price: null }, current })).toBe(true);
  expect(losesValue({ data: { title: 'Jug', price: 13, stock: null }, current })).toBe(false);
  expect(losesValue({ data: { title: null }, current: null })).toBe(false);
});
