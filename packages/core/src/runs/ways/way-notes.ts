import type { Way } from '@gleaner/contracts';

/** Pages that had to take a dearer way in a row, after which others begin there. */
const LAST = 8;
/** Every so many pages that begin at the dearer way, one tries the cheaper one anew. */
const TRY_EVERY = 50;
/** Pages in a row to which the dearer way gave no more, after which none takes it. */
const MOST_VAIN = 20;
/** How much one page changes the share of those that climb. */
const SHARE_WEIGHT = 1 / 16;
const MOST_SHARE = 127;

/**
 * What pages showed of one way at one host: whether it gave their data, or they had to climb to the next one. Only pages on
 * which it was tried change what is known of it.
 */
export interface WayNotes {
  /** The last of these pages as bits, the newest lowest; 1: it climbed. */
  last: number;
  /** How many of them are known. */
  known: number;
  /** Pages since then that began at the next way. */
  skipped: number;
  /** Pages in a row to which the next way gave no more. */
  vain: number;
  /** The share of pages that climb, of `MOST_SHARE`. */
  share: number;
}

/**
 * `read`: the way gave the data. `climbed`: it didn't, and the next way is tried. `skipped`: the page begins at the next way.
 * `tried`: it would have, but the way is tried anew. `given`, `vain`: what the next way gave.
 */
export type WayEvent = 'read' | 'climbed' | 'skipped' | 'tried' | 'given' | 'vain';

export const NO_NOTES: WayNotes = { last: 0, known: 0, skipped: 0, vain: 0, share: 0 };

const ALL = 2 ** LAST - 1;

function noteTry(notes: WayNotes, hasClimbed: boolean): WayNotes {
  const { last, known, share } = notes;
  const to = hasClimbed ? MOST_SHARE : 0;
  const weight = Math.max(SHARE_WEIGHT, 1 / (known + 1));
  return {
    ...notes,
    last: ((last << 1) | (hasClimbed ? 1 : 0)) & ALL,
    known: Math.min(known + 1, LAST),
    skipped: 0,
    share: Math.round(share + (to - share) * weight),
  };
}

export function noteEvent(notes: WayNotes, event: WayEvent): WayNotes {
  switch (event) {
    case 'read':
    case 'climbed':
      return noteTry(notes, event === 'climbed');
    case 'skipped':
      return { ...notes, skipped: Math.min(notes.skipped + 1, TRY_EVERY) };
    case 'tried':
      return { ...notes, skipped: 0 };
    case 'given':
      return { ...notes, vain: 0 };
    case 'vain':
      return { ...notes, vain: Math.min(notes.vain + 1, MOST_VAIN) };
  }
}

/** Whether no page takes the next way any more. */
export function hasStopped({ vain }: WayNotes): boolean {
  return vain >= MOST_VAIN;
}

/** What becomes of a page: it tries the way, begins at the next one (`skipped`), or tries the way anew (`tried`). */
export function adviseOn(notes: WayNotes): 'try' | 'skipped' | 'tried' {
  if (hasStopped(notes) || notes.known < LAST || notes.last !== ALL) return 'try';
  return notes.skipped < TRY_EVERY - 1 ? 'skipped' : 'tried';
}

/** As one whole number of 31 bits. */
export function packNotes({ last, known, skipped, vain, share }: WayNotes): number {
  return (((((((last << 4) | known) << 6) | skipped) << 5) | vain) << 7) | share;
}

export function unpackNotes(packed: number): WayNotes {
  return {
    share: packed & 127,
    vain: (packed >> 7) & 31,
    skipped: (packed >> 12) & 63,
    known: (packed >> 18) & 15,
    last: (packed >> 22) & ALL,
  };
}

/** What a page costs on average by what is known of its host. @param notesOf of each way, by its index */
export function expectedPrice(ways: readonly Way[], notesOf: (at: number) => WayNotes): number {
  let reaching = 1;
  let price = 0;
  for (const [at, way] of ways.entries()) {
    const notes = notesOf(at);
    const isLast = at === ways.length - 1 || hasStopped(notes);
    const climbing = isLast ? 0 : adviseOn(notes) === 'try' ? notes.share / MOST_SHARE : 1;
    price += reaching * (1 - climbing) * way.price;
    reaching *= climbing;
  }
  return price;
}
