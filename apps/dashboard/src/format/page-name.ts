import { shortUrl } from './format.ts';

/** The host of an address without `www.`; empty when it is not an address. */
export function shortHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}

/** Whether a page has an address to fetch it from: pasted pages may have none, and those of the examples don't exist. */
export function isFetched(url: string): boolean {
  return /^https?:/.test(url) && !new URL(url).hostname.endsWith('.example');
}

/** A kept page in the list of pages. */
export function pageLabel(url: string, index: number): string {
  return `${index + 1}  ${shortUrl(url) || 'pasted page'}`;
}
