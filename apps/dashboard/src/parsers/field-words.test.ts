import { expect, it } from 'vitest';
import { describeField } from './field-words.ts';

it('names the sources of a field in their order, and what happens to its value', () => {
  expect(describeField('h1')).toEqual({ sources: ['h1'], notes: '' });
  expect(describeField({ css: ['.price', '.cost'], type: 'number', required: true })).toEqual({
    sources: ['.price', '.cost'],
    notes: 'as a number, required',
  });
  expect(describeField({ css: 'li', take: 'all', default: [] })).toMatchObject({
    notes: 'all matches, else []',
  });
  expect(describeField(7)).toEqual({ sources: [], notes: '' });
});
