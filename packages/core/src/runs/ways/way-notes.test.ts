import fc from 'fast-check';
import { waysOf } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import {
  adviseOn,
  expectedPrice,
  hasStopped,
  NO_NOTES,
  noteEvent,
  packNotes,
  unpackNotes,
  type WayEvent,
  type WayNotes,
} from './way-notes.ts';

/** How many pages are under way at once: what one shows is known when as many later ones have begun. */
const LAG = 8;

type Read = 'plainly' | 'first plainly' | 'browser at once';

/** Reads pages that a browser can read, some also plainly. @param needs whether a page needs a browser */
function readPages(count: number, needs: (page: number) => boolean): Read[] {
  let notes: WayNotes = NO_NOTES;
  const known: WayEvent[][] = [];
  return Array.from({ length: count }, (_, page) => {
    notes = (known[page - LAG] ?? []).reduce(noteEvent, notes);
    const advice = adviseOn(notes);
    if (advice !== 'try') notes = noteEvent(notes, advice);
    if (advice === 'skipped') return 'browser at once';
    known[page] = [needs(page) ? 'climbed' : 'read'];
    return needs(page) ? 'first plainly' : 'plainly';
  });
}

function countOf(reads: readonly Read[], read: Read): number {
  return reads.filter((one) => one === read).length;
}

it('where a third of the pages need a browser, at most a tenth of the plain ones are read by one', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2), { minLength: 3_000, maxLength: 3_000 }), (kinds) => {
      const needs = (page: number): boolean => kinds[page] === 0;
      const reads = readPages(kinds.length, needs);
      const plain = reads.filter((_, page) => !needs(page));
      expect(countOf(plain, 'browser at once')).toBeLessThanOrEqual(plain.length / 10);
    }),
    { numRuns: 50 },
  );
});

it('a host that needs a browser throughout is next to never tried plainly', () => {
  const reads = readPages(5_000, () => true);
  expect(countOf(reads, 'first plainly')).toBeLessThanOrEqual(8 + LAG + 5_000 / 50);
});

it('a host that needs no browser any more is found within 50 pages', () => {
  for (const change of [100, 777, 1_234]) {
    const reads = readPages(change + 50 + 2 * LAG, (page) => page < change);
    expect(reads.slice(change, change + 50)).toContain('plainly');
    expect(reads.slice(change + 50 + LAG)).not.toContain('browser at once');
  }
});

it('after 20 pages in a row to which the dearer way gave no more, none takes it', () => {
  const events = (count: number, event: WayEvent) => Array.from({ length: count }, () => event);
  const after = (...lists: WayEvent[][]): WayNotes => lists.flat().reduce(noteEvent, NO_NOTES);
  expect(hasStopped(after(events(19, 'vain')))).toBe(false);
  expect(hasStopped(after(events(19, 'vain'), ['given'], events(19, 'vain')))).toBe(false);
  const stopped = after(events(20, 'climbed'), events(20, 'vain'));
  expect(hasStopped(stopped)).toBe(true);
  expect(adviseOn(stopped)).toBe('try');
});

it('keeps all that is noted in one number', () => {
  const event = fc.constantFrom<WayEvent>(
    'read',
    'climbed',
    'climbed',
    'skipped',
    'tried',
    'given',
    'vain',
    'vain',
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const notes = events.reduce(noteEvent, NO_NOTES);
      const packed = packNotes(notes);
      expect(unpackNotes(packed)).toEqual(notes);
      expect(packed).toBeGreaterThanOrEqual(0);
      expect(packed).toBeLessThan(2 ** 31);
    }),
  );
});

it('expects of a page what its host has cost', () => {
  const ways = waysOf({ escalate: 'browser' });
  const priceAfter = (events: WayEvent[]) => {
    const notes = events.reduce(noteEvent, NO_NOTES);
    return expectedPrice(ways, (at) => (at === 0 ? notes : NO_NOTES));
  };
  expect(priceAfter([])).toBe(1);
  expect(priceAfter(Array.from({ length: 8 }, () => 'climbed'))).toBe(5);
  const mixed = priceAfter(Array.from({ length: 300 }, (_, page) => (page % 3 === 0 ? 'climbed' : 'read')));
  expect(mixed).toBeGreaterThan(2);
  expect(mixed).toBeLessThan(2.7);
});
