import { expect, test } from 'vitest';
import { createFloodGate } from './log.ts';

test('a flood writes the first lines of each window and the number of omitted ones', () => {
  let now = 0;
  const gate = createFloodGate(2, 100, () => now);
  const ten = (text: string): (number | undefined)[] =>
    Array.from({ length: 10 }, () => {
      now += 10;
      return gate(text);
    });
  const left = Array.from({ length: 8 }, () => undefined);
  expect(ten('away')).toEqual([0, 0, ...left]);
  expect(ten('away')).toEqual([8, 0, ...left]);
  expect(gate('another')).toBe(0);
  now += 1_000;
  expect(gate('away')).toBe(8);
  expect(gate('away')).toBe(0);
});
