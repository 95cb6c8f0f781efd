import type { UrlOutcome } from '@gleaner/contracts/values';
import { call } from '../../api/call.ts';
import type { CrawlUrl, UrlNode } from '../url-tree.ts';

/** The most addresses that a cron takes. */
const MOST_ADDRESSES = 10_000;

/** The most addresses of one call. */
const PAGE = 1_000;

/** What became of addresses that are pages of their own; null: nobody fetched them yet. */
const PAGES: ReadonlySet<UrlOutcome | null> = new Set(['fetched', 'unchanged', 'over_limit', null]);

/** Whether an address fits a pattern of the tree: a path or a whole address, with `*` for anything. */
export function fitsPattern(pattern: string, address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const text = pattern.startsWith('/') ? url.pathname + url.search : url.href;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** How many addresses of a kind a collection reads, as far as the crawl has decided. */
export function countPages({ count, outcomes }: Pick<UrlNode, 'count' | 'outcomes'>): number {
  const left = Object.entries(outcomes) as [UrlOutcome, number][];
  const others = left.reduce((sum, [outcome, own]) => sum + (PAGES.has(outcome) ? 0 : own), 0);
  return Math.min(count - others, MOST_ADDRESSES);
}

/** The pages among addresses of a crawl that fit a pattern. */
export function pagesOf(urls: readonly CrawlUrl[], pattern: string): string[] {
  return urls.flatMap(({ url, outcome }) => (PAGES.has(outcome) && fitsPattern(pattern, url) ? [url] : []));
}

/** The pages of a kind, in the order of the crawl, as far as it is. @throws GleanerError */
export async function readAddresses(id: string, pattern: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; found.length < MOST_ADDRESSES;) {
    const page = await call('listCrawlUrls', { params: { id }, query: { limit: PAGE, cursor } });
    found.push(...pagesOf(page.urls, pattern));
    cursor = page.cursor;
    if (cursor === undefined || page.urls.length < PAGE) break;
  }
  return found.slice(0, MOST_ADDRESSES);
}
