import { expect, it } from 'vitest';
import { changeFilterText, NO_CHANGE_FILTER, writeChangeFilter } from './change-filter.ts';

it('writes what was typed as the API takes it', () => {
  expect(writeChangeFilter(NO_CHANGE_FILTER)).toEqual({});
  const draft = { ...NO_CHANGE_FILTER, table: ' prices ', column: 'price', op: 'falls' as const };
  expect(writeChangeFilter({ ...draft, amount: '5 %' })).toEqual({
    table: 'prices',
    where: [{ column: 'price', op: 'falls', by: '5%' }],
  });
  expect(writeChangeFilter({ ...draft, amount: '2,5', kinds: ['new', 'changed'] })).toEqual({
    table: 'prices',
    kinds: ['new', 'changed'],
    where: [{ column: 'price', op: 'falls', by: 2.5 }],
  });
  expect(writeChangeFilter({ ...draft, op: 'crosses', amount: '0' }).where).toEqual([
    { column: 'price', op: 'crosses', value: 0 },
  ]);
});

it('says a filter in words', () => {
  expect(changeFilterText({})).toBe('');
  expect(
    changeFilterText({
      table: 'prices',
      kinds: ['new'],
      where: [
        { column: 'price', op: 'falls', by: '5%' },
        { column: 'stock', op: 'crosses', value: 0 },
      ],
    }),
  ).toBe('prices, new, price falls by 5%, stock crosses 0');
});
