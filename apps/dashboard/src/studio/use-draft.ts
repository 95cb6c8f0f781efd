import { useCallback, useEffect, useState } from 'react';
import { EMPTY_DRAFT, type Draft } from './schema/draft.ts';

const MAX_UNDO = 100;
const PREFIX = 'draft:';

/** The schema in the making, with its earlier states. */
export interface DraftState {
  draft: Draft;
  change: (next: Draft | ((draft: Draft) => Draft)) => void;
  undo: () => void;
  canUndo: boolean;
}

function readUnsaved(key: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    // Only this module writes there.
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

/** Forgets the unsaved schemas of all parsers: at sign-out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/**
 * Holds the schema while it is edited. What is not saved stays in this tab while a person visits other pages.
 * @param key the account, the parser and its version: a later version starts from what is saved
 */
export function useDraft(key: string, initial: Draft | undefined): DraftState {
  const [{ draft, past }, setState] = useState<{ draft: Draft; past: Draft[] }>(() => ({
    draft: readUnsaved(key) ?? initial ?? EMPTY_DRAFT,
    past: [],
  }));
  const change = useCallback((next: Draft | ((draft: Draft) => Draft)): void => {
    setState((state) => {
      const made = typeof next === 'function' ? next(state.draft) : next;
      if (made === state.draft) return state;
      return { draft: made, past: [...state.past, state.draft].slice(-MAX_UNDO) };
    });
  }, []);
  const undo = useCallback((): void => {
    setState((state) => {
      const last = state.past.at(-1);
      return last === undefined ? state : { draft: last, past: state.past.slice(0, -1) };
    });
  }, []);
  return { draft, change, undo, canUndo: past.length > 0 };
}

/** Keeps the draft in this tab while it differs from what is saved. */
export function useKeepDraft(key: string, draft: Draft, isChanged: boolean): void {
  useEffect(() => {
    try {
      if (isChanged) sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
      else sessionStorage.removeItem(PREFIX + key);
    } catch {
      // A full store costs the draft only when the page is left, of which the browser warns.
    }
  }, [key, draft, isChanged]);
}
