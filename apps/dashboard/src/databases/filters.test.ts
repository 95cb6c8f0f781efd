import { expect, it } from 'vitest';
import { readFilter, writeFilter } from './filters.ts';

it('writes values as their columns take them, and reads them back', () => {
  const types: Record<string, string> = { price: 'numeric', sold: 'boolean', name: 'text' };
  const conditions = [
    { column: 'price', operator: 'gte', text: '10' },
    { column: 'price', operator: 'lt', text: '20.5' },
    { column: 'sold', operator: 'eq', text: 'false' },
    { column: 'name', operator: 'contains', text: '7' },
  ];
  const filter = writeFilter(conditions, (column) => types[column] ?? 'text');
  expect(JSON.parse(filter ?? '')).toEqual({
    price: { gte: 10, lt: 20.5 },
    sold: { eq: false },
    name: { contains: '7' },
  });
  expect(readFilter(filter)).toEqual(conditions);
});

it('reads nothing from a filter that is broken', () => {
  expect(readFilter('{"a"')).toEqual([]);
  expect(writeFilter([], () => 'text')).toBeUndefined();
});
