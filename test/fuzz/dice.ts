import { createRandom } from '../random.ts';

/** Decisions that are the same for the same seed. */
export interface Dice {
  /** A number from 0 to 1. */
  next: () => number;
  chance: (probability: number) => boolean;
  /** A whole number below the limit. */
  below: (limit: number) => number;
  pick: <T>(values: readonly [T, ...T[]]) => T;
}

export function createDice(seed: number): Dice {
  const next = createRandom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
