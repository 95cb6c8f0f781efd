import type { ScrapeConfig } from '@gleaner/client';
import { useCallback, useState } from 'react';
import type { Draft } from '../schema/draft.ts';
import { advance, beginHistory, redo, undo, type Work } from './history.ts';
import { readUnsaved } from './unsaved.ts';

/** The parser in the making, with what changes it. */
export interface WorkState extends Work {
  change: (next: Draft | ((draft: Draft) => Draft)) => void;
  configure: (config: ScrapeConfig) => void;
  rename: (name: string) => void;
  /** Absent when there is nothing to undo. */
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
}

/** Holds the work while it is edited. */
export function useWork(key: string, initial: Work): WorkState {
  const [history, setHistory] = useState(() => beginHistory(readUnsaved(key) ?? initial));
  const { now, past, future } = history;
  const change = useCallback((next: Draft | ((draft: Draft) => Draft)): void => {
    setHistory((state) => {
      const draft = typeof next === 'function' ? next(state.now.draft) : next;
      return advance(state, { ...state.now, draft }, Date.now());
    });
  }, []);
  const set = useCallback((part: Partial<Work>): void => {
    setHistory((state) => advance(state, { ...state.now, ...part }, Date.now()));
  }, []);
  return {
    ...now,
    change,
    configure: (config) => set({ config }),
    rename: (name) => set({ name }),
    undo: past.length > 0 ? () => setHistory(undo) : undefined,
    redo: future.length > 0 ? () => setHistory(redo) : undefined,
  };
}
