import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findTestData } from '../../../../test/test-data.mjs';
import { createNumberReader } from './number.ts';

const SUITE = findTestData('suites/prices.json');

interface Price {
  text: string | null;
  amount: number | null;
}

it.skipIf(SUITE.isMissing)('reads the prices of real pages', { meta: SUITE.meta }, () => {
  const prices = JSON.parse(readFileSync(SUITE.path, 'utf8')) as Price[];
  const read = createNumberReader();
  const results = prices.map(({ text, amount }) => {
    const reading = read(text ?? '');
    const value = reading.state === 'value' ? reading.value : null;
    return { text, amount, value };
  });
  expect(results.filter(({ amount, value }) => amount !== value)).toEqual([]);
});
