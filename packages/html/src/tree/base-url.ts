import { attributeOf, HTML_NAMESPACE } from './tree.ts';
import type { PageDocument } from './document.ts';
import { elementsByTag } from './indexes.ts';

function parseUrl(reference: string, base: string | undefined): string | undefined {
  return URL.parse(reference, base)?.href;
}

/** The base of relative URLs: the first `<base href>`, resolved against the page's address. */
export function baseUrlOf(document: PageDocument, pageUrl: string | undefined): string | undefined {
  for (const element of elementsByTag(document, 'base')) {
    if (element.namespace !== HTML_NAMESPACE) continue;
    const href = attributeOf(element, 'href');
    if (href === undefined) continue;
    const base = parseUrl(href, pageUrl);
    // The standard forbids these schemes as a base and then uses the page's address.
    return base === undefined || /^(?:data|javascript):/.test(base) ? pageUrl : base;
  }
  return pageUrl;
}

/** The absolute URL of a reference; undefined when it is invalid. Without a base, the reference itself. */
export function resolveUrl(reference: string, base: string | undefined): string | undefined {
  const text = reference.trim();
  const absolute = parseUrl(text, base);
  if (absolute !== undefined) return absolute;
  // Without a base, a reference stays relative if it would be valid on some page.
  return base === undefined && URL.canParse(text, 'http://page.invalid/') ? text : undefined;
}
