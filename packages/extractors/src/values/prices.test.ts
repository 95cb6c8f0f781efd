import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNumberReader } from './number.ts';

const SUITE = join(import.meta.dirname, '../../../../../shared/suites/prices.json');
interface Price {
  text: string | null;
  amount: number | null;
}

it.skipIf(!existsSync(SUITE))('reads the prices of real pages', { meta: { missing: SUITE } }, () => {
  const prices = JSON.parse(readFileSync(SUITE, 'utf8')) as Price[];
  const read = createNumberReader();
  const results = prices.map(({ text, amount }) => {
    const reading = read(text ?? '');
    const value = reading.state === 'value' ? reading.value : null;
    return { text, amount, value };
  });
  expect(results.filter(({ amount, value }) => amount !== value)).toEqual([]);
});
