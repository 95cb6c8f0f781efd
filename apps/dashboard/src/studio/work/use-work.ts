import type { ScrapeConfig } from '@gleaner/client';
import { useState } from 'react';
import type { Draft } from '../schema/draft.ts';
import { advance, beginHistory, redo, undo, type Work } from './history.ts';
import { readUnsaved } from './unsaved.ts';

/** The parser in the making, with what changes it. */
export function useWork(key: string, initial: Work) {
  const [history, setHistory] = useState(() => beginHistory(readUnsaved(key) ?? initial));
  const { now, past, future } = history;
  const set = (part: Partial<Work>): void =>
    setHistory((state) => advance(state, { ...state.now, ...part }, Date.now()));
  return {
    ...now,
    change: (draft: Draft): void => set({ draft }),
    configure: (config: ScrapeConfig): void => set({ config }),
    /** All of it, as one step to undo. */
    replace: (next: Work): void => set(next),
    rename: (name: string): void => set({ name }),
    /** Absent when there is nothing to undo. */
    undo: past.length > 0 ? () => setHistory(undo) : undefined,
    redo: future.length > 0 ? () => setHistory(redo) : undefined,
  };
}
