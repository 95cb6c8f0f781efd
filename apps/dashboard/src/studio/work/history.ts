import type { ScrapeConfig } from '@gleaner/client';
import type { Draft } from '../schema/draft.ts';

/** A parser in the making: its name, its schema, and how its pages are fetched. */
export interface Work {
  name: string;
  draft: Draft;
  config: ScrapeConfig;
}

/** The work with its earlier states, and those that were undone. */
export interface History {
  now: Work;
  past: readonly Work[];
  future: readonly Work[];
  /** When a key was typed last; undefined after any other change. */
  typedAt: number | undefined;
}

const MAX_UNDO = 100;
/** Keys that follow one another sooner are one edit. */
const TYPING_PAUSE_MS = 1_500;
/** A key changes one character, which JSON writes as two at most. */
const KEY_LENGTH = 2;

/** Whether two states differ as by one key: in one place, by a character. */
function isKeystroke(before: Work, after: Work): boolean {
  const [a, b] = [JSON.stringify(before), JSON.stringify(after)];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - start - end <= KEY_LENGTH;
}

export function beginHistory(now: Work): History {
  return { now, past: [], future: [], typedAt: undefined };
}

/** A change is a step to undo; keys that are typed one after the other are one together. */
export function advance(history: History, next: Work, at: number): History {
  const { now, past, typedAt } = history;
  if (next.draft === now.draft && next.config === now.config && next.name === now.name) return history;
  const isTyped = isKeystroke(now, next);
  const isSameEdit = isTyped && typedAt !== undefined && at - typedAt < TYPING_PAUSE_MS;
  return {
    now: next,
    past: isSameEdit ? past : [...past, now].slice(-MAX_UNDO),
    future: [],
    typedAt: isTyped ? at : undefined,
  };
}

export function undo(history: History): History {
  const { now, past, future } = history;
  const last = past.at(-1);
  if (last === undefined) return history;
  return { now: last, past: past.slice(0, -1), future: [now, ...future], typedAt: undefined };
}

export function redo(history: History): History {
  const { now, past, future } = history;
  const [next, ...later] = future;
  if (next === undefined) return history;
  return { now: next, past: [...past, now], future: later, typedAt: undefined };
}
