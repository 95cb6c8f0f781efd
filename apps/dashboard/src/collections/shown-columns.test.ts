import { expect, it } from 'vitest';
import { shownColumns } from './shown-columns.ts';

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
