import type { SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef, useState } from 'react';

/** The most choices that a selector shows; others are found by typing. */
const SHOWN = 50;
const SETTLED_MS = 150;

/** The members of a `Select` whose choices the service finds. */
export interface SearchedField extends Pick<
  SelectProps,
  'onInput' | 'onFocusCapture' | 'onBlurCapture' | 'onOptionSubmit' | 'onClear'
> {
  searchable: true;
  searchValue: string;
  onSearchChange: (text: string) => void;
  filter: <Input extends { options: unknown[] }>(input: Input) => Input['options'];
  nothingFoundMessage: string;
}

/** Says at a selector that the service did not give its choices. */
export function choicesFault(error: Error | null): { error?: string } {
  return error === null ? {} : { error: 'The choices can’t be read' };
}

/**
 * A selector whose choices the service finds by what is typed.
 * @param chosen the words of the present choice, which the field shows: they are no search
 */
export function useSearched(chosen: string | undefined) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text === chosen ? '' : text.trim(), SETTLED_MS);
  // A choice that arrives while a person is in the field would take their text away, or mix with it.
  const own = useRef<string>(undefined);
  const keepOwn = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    own.current = currentTarget.value;
  };
  const endOwn = (): void => {
    own.current = undefined;
  };
  const field: SearchedField = {
    searchable: true,
    searchValue: text,
    onFocusCapture: keepOwn,
    onInput: keepOwn,
    onBlurCapture: endOwn,
    onOptionSubmit: endOwn,
    onClear: endOwn,
    onSearchChange: (next) => {
      if (own.current === undefined || own.current === next) setText(next);
    },
    // The service has found them.
    filter: ({ options }) => options,
    nothingFoundMessage: 'No matches',
  };
  return { query: { limit: SHOWN, ...(settled === '' ? {} : { search: settled }) }, field };
}
