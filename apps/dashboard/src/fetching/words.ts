import type { ScrapeConfig } from '@gleaner/client';
import { priceOf, usesBrowser } from '@gleaner/contracts/values';
import { plural } from '../format/format.ts';

/** What a page costs that is fetched so: `5 credits`. */
export function priceWords(config: ScrapeConfig): string {
  return plural(priceOf(config), 'credit');
}

/** How pages are fetched, in a few words; empty when nothing is set. */
export function fetchWords(config: ScrapeConfig): string {
  const { actions = [], waitForBrowser, waitSeconds, proxy, headers, cookies } = config;
  const parts = [
    usesBrowser(config) && 'in a browser',
    waitForBrowser !== undefined && `waits for ${waitForBrowser}`,
    waitSeconds !== undefined && `waits ${waitSeconds} s`,
    actions.length > 0 && plural(actions.length, 'action'),
    proxy !== undefined && `proxy ${proxy}`,
    headers !== undefined && 'with headers',
    cookies !== undefined && 'with cookies',
  ];
  return parts.filter((part) => part !== false).join(', ');
}
