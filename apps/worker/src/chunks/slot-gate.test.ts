import { expect, it } from 'vitest';
import { createSlotGate } from './slot-gate.ts';

it('gives a free slot to the lowest rank, and of one rank to the one that has waited longest', () => {
  const gate = createSlotGate(2);
  const served: string[] = [];
  const ask = (name: string, rank: number): boolean => {
    const isServed = gate.tryTake(() => ask(name, rank), rank);
    if (isServed) served.push(name);
    return isServed;
  };
  for (const [name, rank] of [
    ['a', 5],
    ['b', 5],
    ['big 1', 22],
    ['c', 4],
    ['big 2', 22],
    ['d', 4],
    ['small', 1],
  ] as const) {
    ask(name, rank);
  }
  for (let ends = 0; ends < 6; ends += 1) gate.release();
  expect(served).toEqual(['a', 'b', 'small', 'c', 'd', 'big 1', 'big 2']);
});

it('wakes the next caller when the first does not need its slot any more', () => {
  const gate = createSlotGate(1);
  const woken: string[] = [];
  expect(gate.tryTake(() => undefined, 1)).toBe(true);
  expect(gate.tryTake(() => woken.push('left'), 1)).toBe(false);
  expect(gate.tryTake(() => woken.push('next'), 2)).toBe(false);
  gate.release();
  expect(woken).toEqual(['left', 'next']);
});
