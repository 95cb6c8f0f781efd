import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { IconSearch } from './icons.ts';
import { useListSearch } from './list-search.ts';

const SETTLED_MS = 200;

interface SearchFieldProps {
  /** For screen readers: `Find a parser`. */
  label: string;
  placeholder?: string;
}

/** The field that searches a list at the service; the address holds what is typed. `/` leads to it. */
export function SearchField({ label, placeholder = 'Name or id' }: SearchFieldProps) {
  const { search = '' } = useListSearch();
  const navigate = useNavigate();
  const [text, setText] = useState(search);
  const sent = useRef(search);
  // The address changes by itself too, when somebody goes back.
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    setText(search);
  }, [search]);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim();
    void navigate({
      to: '.',
      search: (known: object) => ({ ...known, search: typed.trim() || undefined }),
      replace: true,
    });
  }, SETTLED_MS);
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        send(value);
      }}
      w={220}
      data-search
    />
  );
}
