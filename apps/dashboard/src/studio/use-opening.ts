import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { KeptPage } from './extraction/protocol.ts';
import { fetchPage, openExample } from './pages/fetch-page.ts';
import type { StudioSearch } from './search.ts';
import type { PagesState } from './use-studio.ts';

type Named = Pick<StudioSearch, 'open' | 'example'>;

/** Opens the page that the address names, once; its name is gone from the address afterwards. */
export function useOpening(
  pages: PagesState,
  { open, example }: StudioSearch,
  onSearch: (change: Partial<StudioSearch>) => void,
): UseMutationResult<KeptPage | undefined, Error, Named> {
  const opening = useMutation({
    mutationFn: async (named: Named) =>
      named.open === undefined ? openExample(named.example ?? '') : fetchPage(named.open, {}),
    onSuccess: (page) => {
      if (page) pages.add(page);
    },
    onSettled: () => onSearch({ open: undefined, example: undefined }),
  });
  const isOpened = useRef(false);
  useEffect(() => {
    if (isOpened.current || !pages.isReady || (open === undefined && example === undefined)) return;
    isOpened.current = true;
    opening.mutate({ open, example });
  }, [open, example, pages.isReady, opening]);
  return opening;
}
