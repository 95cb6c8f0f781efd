import type { ScrapeConfig } from '@gleaner/client';
import type { Fetched } from '../studio/fetching/fetch-page.ts';

/** A page that was paid for. It stays in the tab, so that a reload costs nothing. */
export interface Tried {
  /** As it was asked for. */
  url: string;
  config: ScrapeConfig;
  seen: Fetched;
}

const KEY = 'tried';

export function keepTried(tried: Tried): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(tried));
  } catch {
    // Too large a page is fetched again when it is asked for.
    forgetTried();
  }
}

/** The page of an address, where it was the last that was tried in this tab. */
export function readTried(url: string | undefined): Tried | undefined {
  const text = sessionStorage.getItem(KEY);
  if (text === null || url === undefined) return undefined;
  // Only this module writes there.
  const tried = JSON.parse(text) as Tried;
  return tried.url === url ? tried : undefined;
}

/** At sign-out, so that the next person at this browser sees none. */
export function forgetTried(): void {
  sessionStorage.removeItem(KEY);
}
