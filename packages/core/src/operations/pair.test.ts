import { getCredits, getParser } from '@gleaner/contracts';
import { expect, test } from 'vitest';
import { getCredits as readCredits } from '../accounts/credits/get-credits.ts';
import { getParser as readParser } from '../parsers/get-parser.ts';
import { pair } from './pair.ts';

test('an operation accepts only a function of its types', () => {
  expect(pair(getCredits, readCredits).operation.id).toBe('getCredits');
  // @ts-expect-error the answer lacks the parser's fields
  expect(pair(getParser, readCredits).operation.id).toBe('getParser');
  // @ts-expect-error the operation has no path parameters
  expect(pair(getCredits, readParser).operation.id).toBe('getCredits');
});
