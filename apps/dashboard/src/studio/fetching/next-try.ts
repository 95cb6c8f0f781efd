import type { ScrapeConfig } from '@gleaner/client';
import { readProxy, usesBrowser } from '@gleaner/contracts/values';
import { toProblem } from '../../api/problem.ts';
import { priceWords } from '../../fetching/words.ts';

/** One step that may help with a page, as a button offers it. */
export interface NextTry {
  label: string;
  config: ScrapeConfig;
}

function nextTry(words: string, config: ScrapeConfig): NextTry {
  return { label: `${words} for ${priceWords(config)}`, config };
}

/** What to try after a failed fetch: what the advice of the failure says, cheapest first. */
export function tryAfterFailure(error: unknown, config: ScrapeConfig): NextTry | undefined {
  const { body } = toProblem(error);
  // Only this advice names both; a login or a rate limit is not helped by either.
  if (body.error !== 'target blocked' || body.hint?.includes('browser') !== true) return undefined;
  if (!usesBrowser(config)) return nextTry('Try it in a browser', { ...config, useBrowser: true });
  if (readProxy(config.proxy).tier !== 'default') return undefined;
  return nextTry('Try it with the proxy tier high quality', { ...config, proxy: 'highquality' });
}

/** A page with less text than this is as good as empty: without what its scripts add, and with it. */
const MIN_TEXT = 100;
const MIN_RENDERED_TEXT = 10;
/** Seconds to wait for a page whose scripts take longer than its loading. */
const PATIENCE_SECONDS = 5;

/** Whether the page shows almost nothing and has scripts, which probably fill it. */
export function isBlank(page: Document, isFromBrowser: boolean): boolean {
  const least = isFromBrowser ? MIN_RENDERED_TEXT : MIN_TEXT;
  if (page.querySelector('script') === null) return false;
  let length = 0;
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null && length < least) {
    const { currentNode: text } = texts;
    if (text.parentElement?.closest('script, style, noscript, template') === null)
      length += text.textContent?.trim().length ?? 0;
  }
  return length < least;
}

/** What to try when a page is blank; undefined after everything was tried. */
export function tryAfterBlank(isFromBrowser: boolean, config: ScrapeConfig): NextTry | undefined {
  if (!isFromBrowser) return nextTry('Run its scripts in a browser', { ...config, useBrowser: true });
  if (config.waitForBrowser !== undefined || config.waitSeconds !== undefined) return undefined;
  return nextTry(`Wait ${PATIENCE_SECONDS} seconds`, {
    ...config,
    useBrowser: true,
    waitSeconds: PATIENCE_SECONDS,
  });
}
