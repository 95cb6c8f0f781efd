import { useState } from 'react';

/**
 * What a person types into a form: it stays as it is typed, even while it is not complete yet. A value that something else
 * changed replaces it in the same render; an effect would come between two keys and take the later one back.
 * @param given the value of now
 * @param textOf the same for values that mean the same
 */
export function useTyped<T>(given: T, textOf: (typed: T) => string) {
  const text = textOf(given);
  const [known, setKnown] = useState({ text, typed: given });
  let { typed } = known;
  if (known.text !== text) {
    if (textOf(typed) !== text) typed = given;
    setKnown({ text, typed });
  }
  return [typed, (next: T) => setKnown((before) => ({ ...before, typed: next }))] as const;
}
