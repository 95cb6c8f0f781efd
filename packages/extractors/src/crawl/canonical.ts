import { attributeOf, elementsByTag, HTML_NAMESPACE, type PageDocument } from '@gleaner/html';
import { splitAddress } from './address.ts';
import type { Normalise } from './normalise.ts';

const INDEX_FILE = /\/(?:index|default)\.(?:[sx]?html?|php\d?|aspx?|jsp|cfm|cgi)$/;

/** What stays of an address without what may differ between two ways to write one page. */
function pageKey(address: string): string {
  const { host, path } = splitAddress(address);
  const plain = path.toLowerCase().replace(INDEX_FILE, '/');
  return host.replace(/^www\./, '') + (plain.endsWith('/') ? plain.slice(0, -1) : plain);
}

/**
 * Whether `rel=canonical` is believed: where it differs in query, trailing slash, case, index file, scheme or `www.`.
 * Many sites give all pages the same canonical address, and would lose all pages but one.
 */
export function isBelieved(canonical: string, address: string): boolean {
  return pageKey(canonical) === pageKey(address);
}

/** The address that the page gives as its own, normalised; null without one. */
export function canonicalOf(
  document: PageDocument,
  base: string | undefined,
  normalise: Normalise,
): string | null {
  for (const element of elementsByTag(document, 'link')) {
    if (element.namespace !== HTML_NAMESPACE) continue;
    const href = attributeOf(element, 'href');
    if (href === undefined || href.trim() === '') continue;
    if (relOf(attributeOf(element, 'rel')).includes('canonical')) return normalise(href, base);
  }
  return null;
}

/** The words of an attribute `rel`. */
export function relOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.toLowerCase().split(/\s+/);
}
