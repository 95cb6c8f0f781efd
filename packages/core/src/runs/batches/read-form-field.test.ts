import { expect, it } from 'vitest';
import { readFormField } from './read-form-field.ts';

it.each([
  ['max_credits', '12', 12],
  ['dedupe', 'true', true],
  // The schema of the fields refuses these, and shows them as they were sent.
  ['max_credits', 'x', 'x'],
  ['max_credits', '', ''],
  ['dedupe', 'yes', 'yes'],
])('%s=%s', async (name, value, read) => {
  expect(await readFormField({ kind: 'field', name, value })).toBe(read);
});
