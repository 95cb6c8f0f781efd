/**
 * CUSUM over pages: is a field missing on more pages than it used to be? Each page adds the logarithm of the likelihood
 * ratio of "broken" against "as before", and the sum never falls below 0. docs/use/lifecycle.md has the design.
 */

/** Number of pages after which a field is tested. */
export const LEARNED_PAGES = 20;
/** The test skips a field that is missing more often than this. */
const MOST_MISSING = 0.45;
/** One page more or less must not decide: no field is taken to be missing less often. */
const LEAST_MISSING = 0.01;
const BROKEN_MISSING = 0.7;
/** Pages between two false alarms of one parser are about e to this power at least. */
const THRESHOLD = 13.8;

export interface FieldCounts {
  pages: number;
  filled: number;
}

/** The amount that one page adds to the sum. */
export interface Steps {
  missing: number;
  filled: number;
}

/** The learned rate at which a field is missing; undefined while it can't be tested. */
export function missingRate({ pages, filled }: FieldCounts): number | undefined {
  if (pages < LEARNED_PAGES) return undefined;
  const rate = Math.max(LEAST_MISSING, (pages - filled + 1) / (pages + 2));
  return rate > MOST_MISSING ? undefined : rate;
}

export function stepsOf(rate: number): Steps {
  const broken = Math.min(0.95, Math.max(BROKEN_MISSING, rate + 0.45));
  return { missing: Math.log(broken / rate), filled: Math.log((1 - broken) / (1 - rate)) };
}

/** The alarm's threshold; each field that is tested could raise a false one. */
export function thresholdOf(fields: number): number {
  return THRESHOLD + Math.log(Math.max(1, fields));
}

/**
 * The effect of a sequence of pages on any earlier sum: the sum becomes max(before + sum, floor), and its
 * greatest value is max(before + peak, floorPeak). So sequences of several workers can be joined without their pages.
 */
export type Passage = readonly [sum: number, floor: number, peak: number, floorPeak: number];

export const NO_PASSAGE: Passage = [0, 0, 0, 0];

export function addPage([sum, floor, peak, floorPeak]: Passage, step: number): Passage {
  const next = sum + step;
  const nextFloor = Math.max(0, floor + step);
  return [next, nextFloor, Math.max(peak, next), Math.max(floorPeak, nextFloor)];
}

export function applyPassage(
  before: number,
  [sum, floor, peak, floorPeak]: Passage,
): { sum: number; peak: number } {
  return { sum: Math.max(before + sum, floor), peak: Math.max(before + peak, floorPeak) };
}
