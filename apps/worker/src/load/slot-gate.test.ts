import { expect, it } from 'vitest';
import { createSlotGate } from './slot-gate.ts';

it('gives a free slot to who has waited longest', () => {
  const gate = createSlotGate(2);
  const served: string[] = [];
  const ask = (name: string): void => {
    if (gate.tryTake(() => ask(name))) served.push(name);
  };
  for (const name of ['a', 'b', 'c', 'd', 'c', 'e']) ask(name);
  for (let ends = 0; ends < 3; ends += 1) gate.release();
  expect(served).toEqual(['a', 'b', 'c', 'd', 'c']);
});

it('wakes the next caller when the first does not need its slot any more', () => {
  const gate = createSlotGate(1);
  const woken: string[] = [];
  expect(gate.tryTake(() => undefined)).toBe(true);
  expect(gate.tryTake(() => woken.push('left'))).toBe(false);
  expect(gate.tryTake(() => woken.push('next'))).toBe(false);
  gate.release();
  expect(woken).toEqual(['left', 'next']);
});
