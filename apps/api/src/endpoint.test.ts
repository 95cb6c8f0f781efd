import { getCredits, getParser } from '@gleaner/contracts';
import { getCredits as readCredits, getParser as readParser } from '@gleaner/core';
import { expect, test } from 'vitest';
import { endpoint } from './endpoint.ts';

test('an operation takes the function that performs it, and no other', () => {
  expect(endpoint(getCredits, readCredits).operation.id).toBe('getCredits');
  // @ts-expect-error the answer has no parser's fields
  expect(endpoint(getParser, readCredits).operation.id).toBe('getParser');
  // @ts-expect-error the operation has no path parameters
  expect(endpoint(getCredits, readParser).operation.id).toBe('getCredits');
});
