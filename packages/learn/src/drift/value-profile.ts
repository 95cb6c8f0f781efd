import type { Oddity } from '@gleaner/contracts';
import { leastOfSize, type ValueNote } from '@gleaner/extractors';

/** What is known of a field's values: how they are written, how large they are, and how often one repeats the last. */
export interface ValueProfile {
  /** Pages with a value; old ones count less. */
  pages: number;
  kind: ValueNote['kind'];
  /** Pages by shape: the most frequent ones. */
  shapes: Record<string, number>;
  /** Pages with a shape that `shapes` has no room for. */
  otherShapes: number;
  /** Pages by size, as `ValueNote` has it. */
  sizes: Record<string, number>;
  /** Pages with the same value as the page before. */
  repeats: number;
  /** Absent in profiles of earlier versions. */
  shown?: ShownValues;
}

/** What people read of a field's values. */
export interface ShownValues {
  /** The least number, length of a text or count of items, over all pages that were learned. */
  least?: number;
  most?: number;
  /** The last different values. */
  samples: string[];
}

const SHOWN_SAMPLES = 3;

export function joinShown(known: ShownValues | undefined, later: ShownValues | undefined): ShownValues {
  const both = [known, later].filter((one) => one !== undefined);
  const leasts = both.flatMap(({ least }) => least ?? []);
  const mosts = both.flatMap(({ most }) => most ?? []);
  const samples = [...new Set(both.flatMap((one) => one.samples).toReversed())];
  return {
    ...(leasts.length === 0 ? {} : { least: Math.min(...leasts), most: Math.max(...mosts) }),
    samples: samples.slice(0, SHOWN_SAMPLES).toReversed(),
  };
}

/** Pages with a value before values are judged. */
const LEARNED_VALUES = 20;
const REMEMBERED_PAGES = 2_000;
const MAX_SHAPES = 24;
/** A shape of a smaller share is as odd as one that never came. */
const RARE_SHARE = 0.01;
/** The share of the least and of the greatest sizes that may lie outside the range. */
const OUTSIDE_SHARE = 0.005;
const LEAST_RATE = 0.01;
/** A property that is odd more often than this is not tested. */
const MOST_ODD: Readonly<Record<Oddity, number>> = { shape: 0.3, range: 0.3, repeated: 0.38 };

export function emptyProfile(kind: ValueNote['kind']): ValueProfile {
  return { pages: 0, kind, shapes: {}, otherShapes: 0, sizes: {}, repeats: 0 };
}

function increment(counts: Record<string, number>, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

export function addNote(profile: ValueProfile, { kind, shape, size }: ValueNote, isRepeat: boolean): void {
  profile.pages += 1;
  profile.kind = kind;
  if (shape !== undefined) increment(profile.shapes, shape);
  if (size !== undefined) increment(profile.sizes, String(size));
  if (isRepeat) profile.repeats += 1;
}

/** Keeps the most frequent shapes. */
export function limitShapes(profile: ValueProfile): void {
  if (Object.keys(profile.shapes).length <= MAX_SHAPES) return;
  const ranked = Object.entries(profile.shapes).sort(([, a], [, b]) => b - a);
  profile.shapes = Object.fromEntries(ranked.slice(0, MAX_SHAPES));
  for (const [, pages] of ranked.slice(MAX_SHAPES)) profile.otherShapes += pages;
}

/** Old pages count less, and what came once long ago is forgotten. */
function scaled(counts: Record<string, number>, factor: number): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const [key, pages] of Object.entries(counts)) if (pages * factor >= 0.5) kept[key] = pages * factor;
  return kept;
}

/** Adds later pages to what is known. */
export function joinProfiles(known: ValueProfile, later: ValueProfile): void {
  limitsOfKnown.delete(known);
  known.shown = joinShown(known.shown, later.shown);
  known.pages += later.pages;
  known.kind = later.kind;
  known.otherShapes += later.otherShapes;
  known.repeats += later.repeats;
  for (const [shape, pages] of Object.entries(later.shapes)) increment(known.shapes, shape, pages);
  for (const [size, pages] of Object.entries(later.sizes)) increment(known.sizes, size, pages);
  limitShapes(known);
  if (known.pages <= REMEMBERED_PAGES) return;
  const factor = REMEMBERED_PAGES / known.pages;
  known.pages = REMEMBERED_PAGES;
  known.otherShapes *= factor;
  known.repeats *= factor;
  known.shapes = scaled(known.shapes, factor);
  known.sizes = scaled(known.sizes, factor);
}

/** The sizes between which almost all values lie, widened by one on either side; undefined without sizes. */
function rangeOf({ sizes }: ValueProfile): { least: number; most: number; outside: number } | undefined {
  const ordered = Object.keys(sizes)
    .map(Number)
    .sort((a, b) => a - b);
  const pagesOf = (size: number): number => sizes[String(size)] ?? 0;
  let pages = 0;
  for (const size of ordered) pages += pagesOf(size);
  const allowed = OUTSIDE_SHARE * pages;
  const trim = (start: number, step: 1 | -1): { size: number; cut: number } | undefined => {
    let cut = 0;
    for (let at = start; ; at += step) {
      const size = ordered[at];
      if (size === undefined) return undefined;
      if (cut + pagesOf(size) > allowed) return { size, cut };
      cut += pagesOf(size);
    }
  };
  const low = trim(0, 1);
  const high = trim(ordered.length - 1, -1);
  if (low === undefined || high === undefined) return undefined;
  return { least: low.size - 1, most: high.size + 1, outside: low.cut + high.cut };
}

/** What follows from a profile for the next value. */
export interface ValueLimits {
  /** How often a value is odd when nothing has changed; undefined while that can't be tested. */
  rates: Readonly<Record<Oddity, number | undefined>>;
  usualShapes: ReadonlySet<string>;
  range: { least: number; most: number } | undefined;
}

/** Each delta asks several times for the limits of what is known. `joinProfiles` removes those that it changes. */
const limitsOfKnown = new WeakMap<ValueProfile, ValueLimits>();

export function limitsOf(known: ValueProfile): ValueLimits {
  let limits = limitsOfKnown.get(known);
  if (limits === undefined) {
    limits = findLimits(known);
    limitsOfKnown.set(known, limits);
  }
  return limits;
}

/**
 * The rates are the pages on which the value was odd, and the chance of something that never came before (Good and
 * Turing: what came once measures it).
 */
function findLimits(profile: ValueProfile): ValueLimits {
  const { pages } = profile;
  const usualShapes = new Set<string>();
  let shapes = 0;
  let once = 0;
  let oddShapes = profile.otherShapes;
  for (const [shape, count] of Object.entries(profile.shapes)) {
    shapes += 1;
    if (count < 1.5) once += 1;
    if (count < RARE_SHARE * pages) oddShapes += count;
    else usualShapes.add(shape);
  }
  // For those that have not come yet. Of the two booleans the rarer one may simply not have come: what came on none of n pages
  // comes on up to 3/n of all (with 95 %).
  const unseen = profile.kind === 'boolean' ? 3 : 1;
  const range = rangeOf(profile);
  const rate = (oddity: Oddity, odd: number | undefined): number | undefined => {
    if (pages < LEARNED_VALUES || odd === undefined) return undefined;
    const expected = Math.max(LEAST_RATE, odd / (pages + 2));
    return expected > MOST_ODD[oddity] ? undefined : expected;
  };
  return {
    rates: {
      shape: rate('shape', shapes === 0 ? undefined : oddShapes + once + unseen),
      // The next value is the least or the greatest of all with a chance of two in all pages.
      range: rate('range', range && range.outside + 2),
      repeated: rate('repeated', profile.repeats + 1),
    },
    usualShapes,
    range,
  };
}

/**
 * How often the value of a page repeats that of the page before; undefined while that can't be tested. Of booleans it is
 * the share of the value: what is mostly true may suddenly be false on all pages.
 */
export function repeatRate(
  profile: ValueProfile,
  limits: ValueLimits,
  { kind, shape }: ValueNote,
): number | undefined {
  if (kind !== 'boolean' || shape === undefined) return limits.rates.repeated;
  if (profile.pages < LEARNED_VALUES) return undefined;
  const share = ((profile.shapes[shape] ?? 0) + 1) / (profile.pages + 2);
  return share > MOST_ODD.repeated ? undefined : share;
}

/** Whether a value is odd in one way. A shape or size that the kind of value does not have is not odd. */
export function isOdd(
  { usualShapes, range }: ValueLimits,
  { shape, size }: ValueNote,
  oddity: 'shape' | 'range',
): boolean {
  if (oddity === 'shape') return shape !== undefined && !usualShapes.has(shape);
  return size !== undefined && range !== undefined && (size < range.least || size > range.most);
}

const SHOWN_SHAPES = 5;

/** What a person sees of the usual values. */
export function usualValues(profile: ValueProfile): {
  kind: ValueNote['kind'];
  shapes: string[];
  least: number | null;
  most: number | null;
  samples: string[];
} {
  const { kind, shapes, shown } = profile;
  const range = rangeOf(profile);
  const ranked = Object.entries(shapes).sort(([, a], [, b]) => b - a);
  // The range is one size wider than the values on either side, and a size ends where the next begins.
  return {
    kind,
    shapes: ranked.slice(0, SHOWN_SHAPES).map(([shape]) => shape),
    least: shown?.least ?? (range === undefined ? null : rounded(leastOfSize(kind, range.least + 1))),
    most: shown?.most ?? (range === undefined ? null : rounded(leastOfSize(kind, range.most))),
    samples: shown?.samples ?? [],
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
