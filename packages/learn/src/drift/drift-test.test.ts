import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPage, applyPassage, NO_PASSAGE, stepsOf, thresholdOf, type Passage } from './drift-test.ts';

function plain(before: number, steps: readonly number[]): { sum: number; peak: number } {
  let sum = before;
  let peak = before;
  for (const step of steps) {
    sum = Math.max(0, sum + step);
    peak = Math.max(peak, sum);
  }
  return { sum, peak };
}

describe('the drift test', () => {
  it('joins sequences as if their pages had come one by one', () => {
    const step = fc.double({ min: -3, max: 5, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 30, noNaN: true }), fc.array(step), (before, steps) => {
        const passage = steps.reduce<Passage>(addPage, NO_PASSAGE);
        const joined = applyPassage(before, passage);
        const expected = plain(before, steps);
        expect(joined.sum).toBeCloseTo(expected.sum, 9);
        expect(joined.peak).toBeCloseTo(expected.peak, 9);
      }),
    );
  });

  it.each([0.01, 0.05, 0.1, 0.2, 0.3])(
    'raises the alarm within 20 pages when a field missing on %d vanishes',
    (rate) => {
      const pages = Math.ceil(thresholdOf(12) / stepsOf(rate).missing);
      expect(pages).toBeLessThanOrEqual(20);
    },
  );
});
