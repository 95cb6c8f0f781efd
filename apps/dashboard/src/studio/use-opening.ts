import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from '@tanstack/react-router';
import type { KeptPage } from './extraction/protocol.ts';
import { fetchPage, openExample, openKept } from './pages/fetch-page.ts';
import type { StudioSearch } from './search.ts';
import type { PagesState } from './use-studio.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The person pressed a button with the price of opening the page `open`. A link can't say so. */
    isPaid?: boolean;
  }
}

type Named = Pick<StudioSearch, 'open' | 'kept' | 'example'>;

function openNamed({ open, kept, example }: Named): Promise<KeptPage | undefined> {
  if (open !== undefined) return fetchPage(open, {});
  return kept === undefined ? openExample(example ?? '') : openKept(kept);
}

/** Opens the page that the address names, once, and removes its name from the address. What costs credits waits for a click. */
export function useOpening(
  pages: PagesState,
  { open: asked, kept, example }: StudioSearch,
  onSearch: (change: Partial<StudioSearch>) => void,
): UseMutationResult<KeptPage | undefined, Error, Named> {
  const isPaid = useLocation({ select: ({ state }) => state.isPaid === true });
  const open = isPaid ? asked : undefined;
  const opening = useMutation({
    mutationFn: openNamed,
    onSuccess: (page) => {
      if (page) pages.add(page);
    },
    onSettled: () => onSearch({ open: undefined, kept: undefined, example: undefined }),
  });
  const isOpened = useRef(false);
  useEffect(() => {
    if (isOpened.current || !pages.isReady || (open ?? kept ?? example) === undefined) return;
    isOpened.current = true;
    opening.mutate({ open, kept, example });
  }, [open, kept, example, pages.isReady, opening]);
  return opening;
}
