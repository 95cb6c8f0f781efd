import { expect, it } from 'vitest';
import { isOther, nameApart, parserName, savingOf } from './saving.ts';

const idle = { isPending: false, isSuccess: false };
const record = { name: 'shop', version: 3 };
const unchanged = {
  record,
  name: 'shop',
  fieldCount: 2,
  faultCount: 0,
  isSchemaChanged: false,
  isConfigChanged: false,
  save: idle,
};

it('saves what has changed, has fields and no faults, once at a time', () => {
  expect(savingOf(unchanged)).toMatchObject({ isChanged: false, canSave: false, label: 'Save' });
  expect(savingOf({ ...unchanged, name: 'new' })).toMatchObject({
    isChanged: true,
    canSave: true,
    label: 'Save',
  });
  expect(savingOf({ ...unchanged, isConfigChanged: true })).toMatchObject({ canSave: true, label: 'Save' });
  const changed = { ...unchanged, isSchemaChanged: true };
  expect(savingOf(changed)).toMatchObject({ canSave: true, label: 'Save v4' });
  expect(savingOf({ ...changed, record: undefined })).toMatchObject({ canSave: true, label: 'Save' });
  expect(savingOf({ ...changed, fieldCount: 0 })).toMatchObject({ canSave: false, isUnsaved: false });
  expect(savingOf({ ...changed, faultCount: 1 }).canSave).toBe(false);
  expect(savingOf({ ...changed, save: { isPending: true, isSuccess: false } }).canSave).toBe(false);
});

it('knows a version that was saved meanwhile by its fields and how it fetches', () => {
  const base = { schema: { fields: { count: 'b' } }, scrape_config: {} };
  expect(isOther(base, structuredClone(base))).toBe(false);
  expect(isOther(base, { ...base, schema: { fields: { count_a: 'b' } } })).toBe(true);
  expect(isOther(base, { ...base, scrape_config: { useBrowser: true } })).toBe(true);
});

it('keeps the draft of a new parser until it is saved, and later changes of a saved one', () => {
  const changed = { ...unchanged, isSchemaChanged: true, save: { isPending: false, isSuccess: true } };
  expect(savingOf(changed).isDraftKept).toBe(true);
  expect(savingOf({ ...changed, record: undefined }).isDraftKept).toBe(false);
  expect(savingOf({ ...changed, record: undefined, save: idle }).isDraftKept).toBe(true);
});

it('names a parser for its site unless a person named it', () => {
  expect(parserName(' shop ', { title: 'Kettles', url: 'https://www.example.com/a' })).toBe('shop');
  expect(parserName('', { title: 'Kettles', url: 'https://www.example.com/a' })).toBe('Kettles');
  expect(parserName('', { title: '', url: 'https://www.example.com/a' })).toBe('example.com');
  expect(parserName(' ', { title: '', url: 'not an address' })).toBe('new parser');
  expect(parserName('', undefined)).toBe('new parser');
  expect(nameApart('kettles', ['kettles', 'kettles 2'])).toBe('kettles 3');
});
