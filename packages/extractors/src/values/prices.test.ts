import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNumberReader } from './number.ts';

const SUITE = join(import.meta.dirname, '../../../../../shared/suites/prices.json');
/** Texts that no reader of numbers should guess at: `Free!`, `$..75`, and 129.900 without a currency. */
const OTHERWISE = 5;

interface Price {
  text: string | null;
  amount: number | null;
}

it.skipIf(!existsSync(SUITE))(
  'reads the prices of real pages, and at most one wrongly',
  { meta: { missing: SUITE } },
  () => {
    const prices = JSON.parse(readFileSync(SUITE, 'utf8')) as Price[];
    const read = createNumberReader();
    const results = prices.map(({ text, amount }) => {
      const reading = read(text ?? '');
      const value = reading.state === 'value' ? reading.value : null;
      return { text, amount, value };
    });
    const different = results.filter(({ amount, value }) => amount !== value);
    expect(different.filter(({ value }) => value !== null)).toEqual([
      { text: '129.900', amount: 129_900, value: 129.9 },
    ]);
    expect(different.length).toBeLessThanOrEqual(OTHERWISE);
  },
);
