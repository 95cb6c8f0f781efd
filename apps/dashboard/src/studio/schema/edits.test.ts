import { expect, it } from 'vitest';
import type { Draft } from './draft.ts';
import { addFallback, describeFault, dropField, faultsOf, fieldNameError, shiftField } from './edits.ts';

const draft: Draft = {
  fields: { a: 'h1', b: 'h2', items: { css: 'li', take: 'all', fields: { x: 'b', y: 'i' } } },
};
function names({ fields }: Draft): string[] {
  return Object.keys(fields);
}

it('moves a field one step within its level, and no further than the ends', () => {
  expect(names(shiftField(draft, ['a'], 1))).toEqual(['b', 'a', 'items']);
  expect(names(shiftField(draft, ['items'], -1))).toEqual(['a', 'items', 'b']);
  expect(names(shiftField(draft, ['b'], 1))).toEqual(['a', 'items', 'b']);
  expect(shiftField(draft, ['a'], -1)).toBe(draft);
  expect(shiftField(draft, ['items'], 1)).toBe(draft);
});

it('drops a field before another of its level only', () => {
  expect(names(dropField(draft, ['items'], ['a']))).toEqual(['items', 'a', 'b']);
  expect(dropField(draft, ['items', 'x'], ['a'])).toBe(draft);
});

it('adds a fallback to a field that exists', () => {
  expect(addFallback(draft, ['a'], '.title').fields['a']).toEqual({ css: ['h1', '.title'] });
  expect(addFallback(draft, ['b']).fields['b']).toEqual({ css: ['h2', 'body'] });
  expect(addFallback(draft, ['none'])).toBe(draft);
});

it('says why a name can’t be taken', () => {
  expect(fieldNameError(draft, ['a'], 'a')).toBeUndefined();
  expect(fieldNameError(draft, ['a'], 'b')).toContain('another field');
  expect(fieldNameError(draft, ['items', 'x'], 'a')).toBeUndefined();
  for (const name of ['', '1a', 'A', 'a b', 'x'.repeat(64)])
    expect(fieldNameError(draft, ['a'], name)).toContain('lower-case letters');
});

it('gives each field its own faults', () => {
  const faults = ['fields.items.fields.x.css[0]', 'fields.items', 'fields.itemsx', 'fields.a[1]'].map(
    (path) => ({
      path,
      reason: 'bad',
    }),
  );
  expect(faultsOf(faults, ['items', 'x']).map(({ path }) => path)).toEqual(['fields.items.fields.x.css[0]']);
  expect(faultsOf(faults, ['items'])).toHaveLength(2);
  expect(faultsOf(faults, ['a'])).toHaveLength(1);
  expect(describeFault([])).toBeUndefined();
  expect(describeFault([{ path: 'fields.a', reason: 'bad', column: 3 }])).toBe('bad (column 3)');
});
