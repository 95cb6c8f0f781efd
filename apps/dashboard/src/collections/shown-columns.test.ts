import { expect, it } from 'vitest';
import { readAt, shownColumns } from './shown-columns.ts';

function namesOf(names: readonly string[]): string[] {
  return shownColumns(names.map((name) => ({ name, type: 'text' }))).map(({ name }) => name);
}

it('shows the title first, and when a row was read last', () => {
  expect(namesOf(['_url', '_fetched_at', '_run_id', 'price', 'Title', 'stock'])).toEqual([
    'Title',
    'price',
    'stock',
    '_fetched_at',
  ]);
  expect(namesOf(Array.from({ length: 20 }, (_, place) => `field_${place}`))).toHaveLength(8);
  expect(namesOf(['b', 'a'])).toEqual(['b', 'a']);
});

it('says when a row was read, though it did not change then', () => {
  const fetched = '2026-03-01T10:00:00.000Z';
  const checked = '2026-03-05T10:00:00.000Z';
  expect(readAt({ _fetched_at: fetched, _checked_at: checked })).toBe(checked);
  expect(readAt({ _fetched_at: fetched, _checked_at: null })).toBe(fetched);
  expect(readAt({ _fetched_at: fetched })).toBe(fetched);
});
