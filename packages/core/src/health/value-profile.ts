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
}

/** What can be odd about a value. */
export const ODDITIES = ['shape', 'range', 'repeated'] as const;
export type Oddity = (typeof ODDITIES)[number];

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
  const ranked = Object.entries(profile.shapes).sort(([, a], [, b]) => b - a);
  if (ranked.length <= MAX_SHAPES) return;
  profile.shapes = Object.fromEntries(ranked.slice(0, MAX_SHAPES));
  for (const [, pages] of ranked.slice(MAX_SHAPES)) profile.otherShapes += pages;
}

/** Old pages count less, and what came once long ago is forgotten. */
function scaled(counts: Record<string, number>, factor: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([key, pages]) => (pages * factor < 0.5 ? [] : [[key, pages * factor]])),
  );
}

/** Adds later pages to what is known. */
export function joinProfiles(known: ValueProfile, later: ValueProfile): void {
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
function rangeOf(profile: ValueProfile): { least: number; most: number; outside: number } | undefined {
  const sizes = Object.entries(profile.sizes)
    .map(([size, pages]) => ({ size: Number(size), pages }))
    .sort((a, b) => a.size - b.size);
  const allowed = OUTSIDE_SHARE * sizes.reduce((sum, { pages }) => sum + pages, 0);
  const trim = (ordered: typeof sizes): { size: number; cut: number } | undefined => {
    let cut = 0;
    for (const { size, pages } of ordered) {
      if (cut + pages > allowed) return { size, cut };
      cut += pages;
    }
    return undefined;
  };
  const low = trim(sizes);
  const high = trim(sizes.toReversed());
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

/**
 * The rates are the pages on which the value was odd, and the chance of something that never came before (Good and
 * Turing: what came once measures it).
 */
export function limitsOf(profile: ValueProfile): ValueLimits {
  const { pages } = profile;
  const shapes = Object.entries(profile.shapes);
  const rare = shapes.filter(([, count]) => count < RARE_SHARE * pages);
  const once = shapes.filter(([, count]) => count < 1.5).length;
  const oddShapes = rare.reduce((sum, [, count]) => sum + count, profile.otherShapes);
  const range = rangeOf(profile);
  const rate = (oddity: Oddity, odd: number | undefined): number | undefined => {
    if (pages < LEARNED_VALUES || odd === undefined) return undefined;
    const expected = Math.max(LEAST_RATE, odd / (pages + 2));
    return expected > MOST_ODD[oddity] ? undefined : expected;
  };
  return {
    rates: {
      shape: rate('shape', shapes.length === 0 ? undefined : oddShapes + once + 1),
      // The next value is the least or the greatest of all with a chance of two in all pages.
      range: rate('range', range && range.outside + 2),
      repeated: rate('repeated', profile.repeats + 1),
    },
    usualShapes: new Set(shapes.flatMap((entry) => (rare.includes(entry) ? [] : [entry[0]]))),
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
  switch (oddity) {
    case 'shape': {
      return shape !== undefined && !usualShapes.has(shape);
    }
    case 'range': {
      return size !== undefined && range !== undefined && (size < range.least || size > range.most);
    }
  }
}

const SHOWN_SHAPES = 5;

/** What a person sees of the usual values. */
export function usualValues(profile: ValueProfile): {
  kind: ValueNote['kind'];
  shapes: string[];
  least: number | null;
  most: number | null;
} {
  const { kind, shapes } = profile;
  const range = rangeOf(profile);
  const ranked = Object.entries(shapes).sort(([, a], [, b]) => b - a);
  // The range is one size wider than the values on either side, and a size ends where the next begins.
  return {
    kind,
    shapes: ranked.slice(0, SHOWN_SHAPES).map(([shape]) => shape),
    least: range === undefined ? null : rounded(leastOfSize(kind, range.least + 1)),
    most: range === undefined ? null : rounded(leastOfSize(kind, range.most)),
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
