/**
 * How a host's pages are built, from fingerprints of some of them (`structureOf`). It is evidence beside an alarm, and
 * raises none: a redesign that leaves all values in place harms nobody.
 */
export interface StructureHealth {
  /** Fingerprints that were learned; old ones count less. */
  samples: number;
  /** For each place of a fingerprint, the samples by value: the most frequent ones. */
  places: Record<string, number>[];
  /** The mean likeness of a page to the pages before it, from 0 to 1. */
  usual: number;
  /** The same of the last few pages. */
  recent: number;
}

const LEARNED_SAMPLES = 5;
const REMEMBERED_SAMPLES = 250;
const MAX_VALUES = 8;
/** The share of a new page in the mean of the recent ones. */
const RECENT_SHARE = 0.4;
/** Recent pages that are less like the others than this share of the usual likeness are built in another way. */
const CHANGED = 0.6;

/** The share of earlier samples, over all places, that have the fingerprint's value. */
function likenessOf({ samples, places }: StructureHealth, fingerprint: readonly number[]): number {
  const equal = fingerprint.reduce((sum, value, place) => sum + (places[place]?.[String(value)] ?? 0), 0);
  return equal / samples / fingerprint.length;
}

function learnValue(counts: Record<string, number>, value: number): Record<string, number> {
  const key = String(value);
  const next: Record<string, number> = { ...counts, [key]: (counts[key] ?? 0) + 1 };
  const ranked = Object.entries(next);
  if (ranked.length <= MAX_VALUES) return next;
  return Object.fromEntries(ranked.sort(([, a], [, b]) => b - a).slice(0, MAX_VALUES));
}

/** @param isLearned whether the page counts as one of the usual ones */
export function addStructure(
  known: StructureHealth | undefined,
  fingerprint: readonly number[],
  isLearned: boolean,
): StructureHealth {
  const before: StructureHealth = known ?? {
    samples: 0,
    places: fingerprint.map(() => ({})),
    usual: 1,
    recent: 1,
  };
  const next = { ...before };
  if (before.samples > 0) {
    const likeness = likenessOf(before, fingerprint);
    const share = before.samples < LEARNED_SAMPLES ? 1 / before.samples : RECENT_SHARE;
    next.recent += share * (likeness - before.recent);
    if (isLearned) next.usual += (likeness - before.usual) / Math.min(before.samples, REMEMBERED_SAMPLES);
  }
  if (!isLearned) return next;
  next.samples += 1;
  next.places = before.places.map((counts, place) => learnValue(counts, fingerprint[place] ?? 0));
  if (next.samples <= REMEMBERED_SAMPLES) return next;
  const factor = REMEMBERED_SAMPLES / next.samples;
  next.samples = REMEMBERED_SAMPLES;
  next.places = next.places.map((counts) =>
    Object.fromEntries(Object.entries(counts).map(([value, samples]) => [value, samples * factor])),
  );
  return next;
}

/** Whether the last pages are built in another way than those before; undefined while too few are known. */
export function isStructureChanged({ samples, usual, recent }: StructureHealth): boolean | undefined {
  return samples < LEARNED_SAMPLES ? undefined : recent < CHANGED * usual;
}
