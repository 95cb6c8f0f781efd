import { expect, it } from 'vitest';
import { sampleRows, withPin } from './pins.ts';

it('lists what a sample reads, then what is only pinned', () => {
  expect(sampleRows({ title: 'Mug', price: 12 }, { price: 13, gone: null })).toEqual([
    { name: 'title', read: 'Mug', isPinned: false, pinned: undefined, isSame: false },
    { name: 'price', read: 12, isPinned: true, pinned: 13, isSame: false },
    { name: 'gone', read: undefined, isPinned: true, pinned: null, isSame: true },
  ]);
});

it('pins a field without a value to null, and takes pins away', () => {
  expect(withPin({ a: 1 }, 'b', { value: undefined })).toEqual({ a: 1, b: null });
  expect(withPin({ a: 1, b: 2 }, 'b', undefined)).toEqual({ a: 1 });
});
