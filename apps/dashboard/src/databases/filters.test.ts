import { expect, it } from 'vitest';
import { conditionText, nextOrder, operatorsFor, readFilter, writeFilter } from './filters.ts';

it('writes values as their columns take them, and reads them back', () => {
  const columns = [
    { name: 'price', type: 'numeric' },
    { name: 'sold', type: 'boolean' },
    { name: 'name', type: 'text' },
  ];
  const conditions = [
    { column: 'price', operator: 'gte', text: '10' },
    { column: 'price', operator: 'lt', text: '20.5' },
    { column: 'sold', operator: 'eq', text: 'false' },
    { column: 'name', operator: 'contains', text: '7' },
  ];
  const filter = writeFilter(conditions, columns);
  expect(JSON.parse(filter ?? '')).toEqual({
    price: { gte: 10, lt: 20.5 },
    sold: { eq: false },
    name: { contains: '7' },
  });
  expect(readFilter(filter)).toEqual(conditions);
});

it('reads nothing from a filter that is broken', () => {
  expect(readFilter('{"a"')).toEqual([]);
  expect(writeFilter([], [])).toBeUndefined();
});

it('offers the operators that make sense for the type of a column', () => {
  const names = (type: string): string[] => operatorsFor(type).map(({ value }) => value);
  expect(names('boolean')).toEqual(['eq', 'is_null']);
  expect(names('character varying')).toEqual(['contains', 'starts_with', 'eq', 'ne', 'is_null']);
  expect(names('double precision')).toEqual(['eq', 'ne', 'gte', 'lte', 'gt', 'lt', 'is_null']);
  expect(names('timestamp with time zone')).toContain('gte');
  expect(names('uuid')).toEqual(['eq', 'ne', 'is_null']);
  for (const type of ['jsonb', 'json', 'text[]']) expect(names(type)).toEqual(['contains', 'is_null']);
});

it('says a condition in words', () => {
  const columns = [{ name: 'price', type: 'numeric' }];
  expect(conditionText({ column: 'price', operator: 'gte', text: '10' }, columns)).toBe('price at least 10');
  expect(conditionText({ column: 'price', operator: 'is_null', text: 'true' }, columns)).toBe(
    'price is empty',
  );
  expect(conditionText({ column: 'gone', operator: 'in', text: 'a,b' }, columns)).toBe('gone in a,b');
});

it('orders by a column rising, falling, and then not at all', () => {
  expect(nextOrder(undefined, 'price')).toBe('price');
  expect(nextOrder('name', 'price')).toBe('price');
  expect(nextOrder('price', 'price')).toBe('-price');
  expect(nextOrder('-price', 'price')).toBeUndefined();
});
