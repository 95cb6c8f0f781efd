import { ODDITIES, type Oddity } from '@gleaner/contracts/values';
import type { ValueNote } from '@gleaner/extractors';
import { stepsOf, type Steps } from './drift-test.ts';
import {
  addNote,
  emptyProfile,
  isOdd,
  joinProfiles,
  joinShown,
  limitShapes,
  limitsOf,
  repeatRate,
  type ShownValues,
  type ValueLimits,
  type ValueProfile,
} from './value-profile.ts';

/**
 * Whether a field's values changed: for each way in which a value can be odd, a CUSUM over its pages, as for missing
 * values. docs/use/lifecycle.md has the design.
 */

/** After an alarm, the evidence of right values that ends it. */
const RECOVERED = 8;
/** Nearly all values are equal after a change that makes them repeat. */
const BROKEN_REPEATS = 0.97;
/** A value that is odd in a way in which values are odd less often than this makes its page suspect. */
const RARELY_ODD = 0.03;
/**
 * Pages about one thing follow each other, such as variants of a product. Rates are never taken to be lower, so that
 * an alarm needs about 7 odd shapes, 9 odd sizes or 17 equal values in a row.
 */
const LEAST_TESTED: Readonly<Record<Oddity, number>> = { shape: 0.05, range: 0.1, repeated: 0.35 };
/** Pages of one delta with notes. */
const MAX_NOTED = 200;

export interface ValueHealth {
  known: ValueProfile;
  /** Pages since the sums last stood at 0. */
  pending: ValueProfile;
  sums: Record<Oddity, number>;
  /** The hash of the last value. */
  last: number | undefined;
  /** What is broken, with the evidence of recovery since the alarm. */
  broken: Partial<Record<Oddity, number>>;
}

/** Values of a field on pages of a delta, in order: for each page the place of its shape, its size and its hash. */
export interface ValuesSeen {
  kind: ValueNote['kind'];
  shapes: string[];
  pages: [shape: number, size: number | null, hash: number][];
  /** What people read of them. */
  shown?: ShownValues;
}

export function noteSeen(seen: ValuesSeen, { kind, shape, size, hash, amount, sample }: ValueNote): void {
  if (seen.pages.length >= MAX_NOTED) return;
  seen.kind = kind;
  let place = shape === undefined ? -1 : seen.shapes.indexOf(shape);
  if (shape !== undefined && place === -1) place = seen.shapes.push(shape) - 1;
  seen.pages.push([place, size ?? null, hash]);
  seen.shown = joinShown(seen.shown, {
    ...(amount === undefined ? {} : { least: amount, most: amount }),
    samples: sample === undefined ? [] : [sample],
  });
}

export function emptyValues(kind: ValueNote['kind']): ValueHealth {
  return {
    known: emptyProfile(kind),
    pending: emptyProfile(kind),
    sums: { shape: 0, range: 0, repeated: 0 },
    last: undefined,
    broken: {},
  };
}

/** The steps of a test at a learned rate; undefined while it can't be tested. */
function stepsAt(oddity: Oddity, expected: number | undefined): Steps | undefined {
  if (expected === undefined) return undefined;
  const rate = Math.max(LEAST_TESTED[oddity], expected);
  if (oddity !== 'repeated') return stepsOf(rate);
  return {
    missing: Math.log(BROKEN_REPEATS / rate),
    filled: Math.log((1 - BROKEN_REPEATS) / (1 - rate)),
  };
}

function testOne(
  values: ValueHealth,
  oddity: Oddity,
  { isItOdd, steps, threshold }: { isItOdd: boolean; steps: Steps; threshold: number },
): void {
  const step = isItOdd ? steps.missing : steps.filled;
  const recovery = values.broken[oddity];
  if (recovery === undefined) {
    values.sums[oddity] = Math.max(0, values.sums[oddity] + step);
    if (values.sums[oddity] >= threshold) values.broken[oddity] = 0;
    return;
  }
  const next = Math.max(0, recovery - step);
  values.broken[oddity] = next;
  if (next < RECOVERED) return;
  values.broken = Object.fromEntries(Object.entries(values.broken).filter(([name]) => name !== oddity));
  values.sums[oddity] = 0;
}

/** Adds the values of a delta. The test learns at its end, and only when no sum is above 0. */
export function addValues(
  values: ValueHealth,
  { kind, shapes, pages, shown }: ValuesSeen,
  threshold: number,
): void {
  const limits = limitsOf(values.known);
  const shapeSteps = stepsAt('shape', limits.rates.shape);
  const rangeSteps = stepsAt('range', limits.rates.range);
  let before: ValueNote | undefined;
  for (const [place, size, hash] of pages) {
    const note: ValueNote = { kind, shape: shapes[place], size: size ?? undefined, hash };
    const isRepeat = values.last === hash;
    // The value that is repeated, or no longer is.
    const repeated = repeatRate(values.known, limits, isRepeat ? note : (before ?? note));
    values.last = hash;
    before = note;
    const test = (oddity: Oddity, steps: Steps | undefined, isItOdd: boolean): void => {
      if (steps !== undefined) testOne(values, oddity, { isItOdd, steps, threshold });
    };
    // Variants of a product come in a row: their common value is one piece of evidence.
    if (!isRepeat) {
      test('shape', shapeSteps, isOdd(limits, note, 'shape'));
      test('range', rangeSteps, isOdd(limits, note, 'range'));
    }
    test('repeated', stepsAt('repeated', repeated), isRepeat);
    if (!isBroken(values)) addNote(values.pending, note, isRepeat);
  }
  values.pending.shown = joinShown(values.pending.shown, shown);
  if (isBroken(values)) values.pending = emptyProfile(kind);
  else if (ODDITIES.every((oddity) => values.sums[oddity] === 0)) {
    joinProfiles(values.known, values.pending);
    values.pending = emptyProfile(kind);
  } else limitShapes(values.pending);
}

export function isBroken({ broken }: ValueHealth): boolean {
  return ODDITIES.some((oddity) => broken[oddity] !== undefined);
}

/** Whether nothing that would hold a row back is under suspicion. */
export function areValuesCalm(values: ValueHealth): boolean {
  if (isBroken(values)) return false;
  const { rates } = limitsOf(values.known);
  return ODDITIES.every((oddity) => {
    const rate = rates[oddity];
    return values.sums[oddity] === 0 || rate === undefined || rate > RARELY_ODD;
  });
}

/** Whether the value is odd in a way that is rare. Repeats are not: one equal value means nothing. */
export function isSuspectValue(limits: ValueLimits, note: ValueNote): boolean {
  const isSuspectIn = (oddity: 'shape' | 'range'): boolean => {
    const rate = limits.rates[oddity];
    return rate !== undefined && rate <= RARELY_ODD && isOdd(limits, note, oddity);
  };
  return isSuspectIn('shape') || isSuspectIn('range');
}

/** Properties that are tested: each could raise a false alarm. */
export function testedOddities({ known }: ValueHealth): number {
  return Object.values(limitsOf(known).rates).filter((rate) => rate !== undefined).length;
}
