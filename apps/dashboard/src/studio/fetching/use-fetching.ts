import type { ScrapeConfig } from '@gleaner/client';
import { useMutation } from '@tanstack/react-query';
import type { KeptPage } from '../extraction/protocol.ts';
import { fetchPage } from './fetch-page.ts';

/** A page that a person wants to see and pays for. */
export interface FetchRequest {
  /** As it was typed. */
  url: string;
  config: ScrapeConfig;
  /** The kept page that the new one takes the place of. */
  replaces?: string | undefined;
}

/** Fetches one page at a time, with what was asked for last and how it went. */
export function useFetching(onFetched: (page: KeptPage, request: FetchRequest) => void) {
  return useMutation({
    mutationFn: ({ url, config }: FetchRequest) => fetchPage(url, config),
    onSuccess: ({ page }, request) => onFetched(page, request),
  });
}

export type Fetching = ReturnType<typeof useFetching>;
