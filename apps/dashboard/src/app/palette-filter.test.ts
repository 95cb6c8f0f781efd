import { expect, it } from 'vitest';
import { filterGroups, SEARCHES } from './palette-filter.ts';

const GROUPS = [
  { group: SEARCHES, actions: [{ label: 'Rows of mugs with “costs”' }] },
  {
    group: 'Pages',
    actions: [
      { label: 'Credits', keywords: 'usage costs' },
      { label: 'Keys', description: 'What each costs', keywords: ['tokens'] },
    ],
  },
  { group: 'Yours', actions: [{ label: 'Other', description: 'costs' }, { label: 'Costs of mugs' }] },
];

function labelsOf(text: string): (string | undefined)[] {
  return filterGroups(text, GROUPS).flatMap(({ actions }) => actions.map(({ label }) => label));
}

it('has what is named so first, then other words, and searches last', () => {
  expect(labelsOf(' Costs')).toEqual([
    'Costs of mugs',
    'Other',
    'Credits',
    'Keys',
    'Rows of mugs with “costs”',
  ]);
});

it('has no group without lines', () => {
  expect(labelsOf('token')).toEqual(['Keys']);
  expect(filterGroups('zzz', GROUPS)).toEqual([]);
});

it('has all lines for no text', () => {
  expect(filterGroups('', GROUPS).map(({ group }) => group)).toEqual(['Pages', 'Yours', SEARCHES]);
});
