import { describe, expect, it } from 'vitest';
import { addStructure, isStructureChanged, type StructureHealth } from './structure.ts';

/** A fingerprint of which `same` values are those of the template. */
function fingerprint(template: number, same: number, page: number): number[] {
  return Array.from({ length: 32 }, (_, place) =>
    place < same ? template + place : 10_000 + page * 40 + place,
  );
}

function add(
  known: StructureHealth | undefined,
  template: number,
  { pages, isLearned = true }: { pages: number; isLearned?: boolean },
): StructureHealth {
  let next = known;
  for (let page = 0; page < pages; page += 1) {
    next = addStructure(next, fingerprint(template, 28, page), isLearned);
  }
  if (next === undefined) throw new Error('no page');
  return next;
}

describe('the structure of a host', () => {
  it('is unknown until five pages came, and unchanged while pages are alike', () => {
    let known = add(undefined, 100, { pages: 4 });
    expect(isStructureChanged(known)).toBeUndefined();
    known = add(known, 100, { pages: 20 });
    expect(isStructureChanged(known)).toBe(false);
    expect(known.usual).toBeGreaterThan(0.8);
  });

  it('changes within three pages of another template, and what is not learned stays so', () => {
    const before = add(undefined, 100, { pages: 40 });
    const after = add(before, 5_000, { pages: 3, isLearned: false });
    expect(isStructureChanged(after)).toBe(true);
    expect(after.usual).toBe(before.usual);
    expect(isStructureChanged(add(after, 5_000, { pages: 300, isLearned: false }))).toBe(true);
    expect(isStructureChanged(add(after, 100, { pages: 10 }))).toBe(false);
  });

  it('learns another template when it stays, in bounded space', () => {
    const known = add(add(undefined, 100, { pages: 300 }), 5_000, { pages: 600 });
    expect(isStructureChanged(known)).toBe(false);
    expect(known.samples).toBe(250);
    expect(known.places.every((counts) => Object.keys(counts).length <= 8)).toBe(true);
    expect(JSON.stringify(known).length).toBeLessThan(10_000);
  });
});
