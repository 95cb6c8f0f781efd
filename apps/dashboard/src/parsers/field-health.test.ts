import { expect, it } from 'vitest';
import { inOrder, percent, usualValues, type FieldHealth } from './field-health.ts';

function field(path: string, change: Partial<FieldHealth> = {}): FieldHealth {
  return {
    path,
    pages: 100,
    fill_rate: 1,
    suspicion: 0,
    is_broken: false,
    broken_by: [],
    values: null,
    ...change,
  };
}

it('lists broken fields first, then suspicious ones, and the page as a whole last', () => {
  const fields = [
    field('*', { is_broken: true, suspicion: 1 }),
    field('fine'),
    field('odd', { suspicion: 0.4 }),
    field('broken', { is_broken: true, suspicion: 0.9 }),
  ];
  expect(inOrder(fields).map(({ path }) => path)).toEqual(['broken', 'odd', 'fine', '*']);
});

it('says what the values of a field usually are', () => {
  const values = (kind: string, shapes: string[], least: number | null, most: number | null): string =>
    usualValues(field('a', { values: { kind, shapes, least, most } as FieldHealth['values'] }));
  expect(usualValues(field('a'))).toBe('–');
  expect(values('boolean', ['true', 'false'], null, null)).toBe('true, false');
  expect(values('number', [], 4, 1200)).toBe('4 to 1,200');
  expect(values('list', [], 2, 9)).toBe('2 to 9 items');
  expect(values('text', ['prose'], 10, 80)).toBe('10 to 80 characters');
  expect(values('text', ['w 9', 'w-9', 'w'], 1, 2)).toBe('like abc 12 or abc-12');
  expect(values('text', ['9999-9-9'], null, null)).toBe('like 2026-12-12');
  expect(percent(0.974)).toBe('97 %');
  expect(percent(null)).toBe('–');
});
