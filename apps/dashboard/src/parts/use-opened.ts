import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { readText, searchReader } from './read-search.ts';

/** The row that is opened beside a list, in the page's address. */
const readOpened = searchReader({ row: readText });

interface Opened<Row> {
  opened: Row | undefined;
  open: (row: Row) => void;
  close: () => void;
}

/** The row of a list that the page's address names: Back closes it, and a reload keeps it. */
export function useOpened<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Opened<Row> {
  const { row: name } = readOpened(useSearch({ strict: false }));
  const navigate = useNavigate();
  // A row that was opened stays as it was, when the list is read again without it too.
  const [kept, setKept] = useState<Row>();
  const show = (row: Row | undefined): void => {
    setKept(row);
    void navigate({
      to: '.',
      search: (known) => ({ ...known, row: row === undefined ? undefined : nameOf(row) }),
    });
  };
  const isNamed = (row: Row): boolean => nameOf(row) === name;
  const opened =
    name === undefined ? undefined : kept !== undefined && isNamed(kept) ? kept : rows.find(isNamed);
  return { opened, open: show, close: () => show(undefined) };
}
