import { expect, it } from 'vitest';
import { changedText, sumOfChanged } from './changed-rows.tsx';

it('says how many rows are new, changed and gone, and adds up what is known', () => {
  const one = { new: 1_200, changed: 0, removed: 2, returned: 0 };
  expect(changedText(one)).toBe('1,200 new, 2 gone');
  expect(changedText({ new: 0, changed: 0, removed: 0, returned: 0 })).toBe('none');
  const other = { new: 1, changed: 3, removed: 0, returned: 4 };
  expect(sumOfChanged([{ changed: one }, { changed: null }, { changed: other }])).toEqual({
    new: 1_201,
    changed: 3,
    removed: 2,
    returned: 4,
  });
  expect(sumOfChanged([{ changed: null }])).toBeUndefined();
});
