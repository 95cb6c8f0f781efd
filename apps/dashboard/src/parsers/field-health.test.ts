import { expect, it } from 'vitest';
import { inOrder, percent, usualValues, type FieldHealth } from './field-health.ts';

function field(path: string, change: Partial<FieldHealth> = {}): FieldHealth {
  return {
    path,
    pages: 100,
    fill_rate: 1,
    suspicion: 0,
    is_broken: false,
    absent_since: null,
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
  const values = (
    kind: string,
    [least, most]: [number | null, number | null],
    { shapes = [], samples = [] }: { shapes?: string[]; samples?: string[] } = {},
  ): string =>
    usualValues(field('a', { values: { kind, shapes, samples, least, most } as FieldHealth['values'] }));
  expect(usualValues(field('a'))).toBe('–');
  expect(values('boolean', [null, null], { shapes: ['true', 'false'] })).toBe('true, false');
  expect(values('number', [4, 1200])).toBe('4 to 1,200');
  expect(values('number', [0.5, 1.75])).toBe('0.5 to 1.75');
  expect(values('list', [2, 9], { samples: ['red'] })).toBe('2 to 9 items, such as red');
  expect(values('text', [10, 80], { shapes: ['prose'] })).toBe('10 to 80 characters');
  expect(values('text', [10, 10], { samples: ['2024-05-03', '2024-05-04'] })).toBe('2024-05-03, 2024-05-04');
  expect(percent(0.974)).toBe('97 %');
  expect(percent(null)).toBe('–');
});
