import { useState } from 'react';

export interface Chosen<T> {
  all: ReadonlySet<T>;
  toggle: (item: T) => void;
  clear: () => void;
}

/** Things that a person has chosen or opened, by their identifiers. */
export function useChosen<T>(): Chosen<T> {
  const [all, setAll] = useState<ReadonlySet<T>>(new Set());
  const toggle = (item: T): void =>
    setAll((known) => {
      const next = new Set(known);
      if (!next.delete(item)) next.add(item);
      return next;
    });
  return { all, toggle, clear: () => setAll(new Set()) };
}
