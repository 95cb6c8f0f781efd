import type { ScrapeConfig } from '@gleaner/client';
import { usesBrowser, waysOf } from '@gleaner/contracts/values';
import { plural } from '../format/format.ts';

/** What a page costs that is fetched so: `5 credits`, or `1 to 5 credits` when it may take dearer ways. */
export function priceWords(config: ScrapeConfig): string {
  const [first, ...dearer] = waysOf(config);
  const dearest = dearer.at(-1);
  if (dearest === undefined) return plural(first.price, 'credit');
  return `${first.price} to ${plural(dearest.price, 'credit')}`;
}

/** How pages are fetched, in a few words; empty when nothing is set. */
export function fetchWords(config: ScrapeConfig): string {
  const { escalate, hostDelaySeconds, hostConcurrency } = config;
  const { actions = [], waitForBrowser, waitSeconds, proxy, headers, cookies } = config;
  const parts = [
    usesBrowser(config) && 'in a browser',
    waitForBrowser !== undefined && `waits for ${waitForBrowser}`,
    waitSeconds !== undefined && `waits ${waitSeconds} s`,
    actions.length > 0 && plural(actions.length, 'action'),
    proxy !== undefined && `proxy ${proxy}`,
    escalate !== undefined && `dearer ways where needed (${priceWords(config)} a page)`,
    hostDelaySeconds !== undefined && `${hostDelaySeconds} s between pages of a host`,
    hostConcurrency !== undefined && `${plural(hostConcurrency, 'page')} of a host at once`,
    headers !== undefined && 'with headers',
    cookies !== undefined && 'with cookies',
  ];
  return parts.filter((part) => part !== false).join(', ');
}
