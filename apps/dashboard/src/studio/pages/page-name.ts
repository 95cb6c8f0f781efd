import { shortUrl } from '../../format/format.ts';

/** The host of an address without `www.`; empty when it is not an address. */
export function shortHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}

/** A kept page in the list of pages. */
export function pageLabel(url: string, index: number): string {
  return `${index + 1}  ${shortUrl(url) || 'pasted page'}`;
}
