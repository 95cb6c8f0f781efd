import { expect, it } from 'vitest';
import {
  fieldAt,
  listAround,
  moveField,
  removeField,
  renameField,
  setField,
  withoutAttribute,
  type Draft,
} from './draft.ts';

const DRAFT: Draft = {
  fields: { title: 'h1', items: { css: 'li', take: 'all', fields: { name: '.n', price: '.p' } } },
};

it('changes one field and leaves the others as they are', () => {
  const changed = setField(DRAFT, ['items', 'price'], { css: '.cost', type: 'number' });
  expect(fieldAt(changed, ['items', 'price'])).toEqual({ css: '.cost', type: 'number' });
  expect(changed.fields['title']).toBe('h1');
  expect(fieldAt(DRAFT, ['items', 'price'])).toEqual({ css: '.p' });
});

it('writes a field that is only a selector as a selector', () => {
  expect(setField(DRAFT, ['title'], { css: 'h2', type: undefined }).fields['title']).toBe('h2');
});

it('keeps the order when a field is renamed, and changes it when one is moved', () => {
  expect(Object.keys(renameField(DRAFT, ['title'], 'name').fields)).toEqual(['name', 'items']);
  expect(Object.keys(moveField(DRAFT, ['items'], 'title').fields)).toEqual(['items', 'title']);
  expect(Object.keys(moveField(DRAFT, ['title'], undefined).fields)).toEqual(['items', 'title']);
});

it('removes a column and finds the list around one', () => {
  expect(fieldAt(removeField(DRAFT, ['items', 'name']), ['items'])?.fields).toEqual({ price: '.p' });
  expect(listAround(DRAFT, ['items', 'price'])).toEqual(['items']);
  expect(listAround(DRAFT, ['title'])).toBeUndefined();
});

it('distinguishes an attribute from an @ within a selector', () => {
  expect(withoutAttribute('img.main@src')).toBe('img.main');
  expect(withoutAttribute('a[href="x@y"]')).toBe('a[href="x@y"]');
});
