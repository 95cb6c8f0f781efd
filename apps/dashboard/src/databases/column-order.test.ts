import { expect, it } from 'vitest';
import { dataFirst } from './filters.ts';

it('shows the data before the columns that Gleaner adds, each in the order of the table', () => {
  const names = ['_url', '_fetched_at', 'title', 'price', '_run_id'];
  expect(dataFirst(names.map((name) => ({ name }))).map(({ name }) => name)).toEqual([
    'title',
    'price',
    '_url',
    '_fetched_at',
    '_run_id',
  ]);
});
