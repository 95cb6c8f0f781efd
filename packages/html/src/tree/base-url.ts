// This module also makes the encoders of multi-byte encodings known.
import { labelToName } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import { attributeOf, HTML_NAMESPACE, parentElement, XmlElement, type TreeElement } from './tree.ts';
import type { PageDocument } from './document.ts';
import { elementsByTag } from './indexes.ts';

function parseUrl(reference: string, base: string | undefined): string | undefined {
  return URL.parse(reference, base)?.href;
}

/** The base of relative URLs: the first `<base href>`, or `xml:base` of an XML page's root, resolved against the page's address. */
export function baseUrlOf(document: PageDocument, pageUrl: string | undefined): string | undefined {
  const [root] = document.elements;
  if (root instanceof XmlElement) return parseUrl(attributeOf(root, 'xml:base') ?? '', pageUrl) ?? pageUrl;
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

/**
 * The base of the addresses of an element of an XML page: the `xml:base` of it and of what it stands in, each relative to
 * the next one out. Undefined where only the root or nothing has one.
 */
export function innerBaseOf(element: TreeElement, pageUrl: string | undefined): string | undefined {
  if (!(element instanceof XmlElement)) return undefined;
  const bases: string[] = [];
  let inner = 0;
  for (let at: TreeElement | null = element; at !== null; at = parentElement(at)) {
    const base = attributeOf(at, 'xml:base');
    if (base === undefined) continue;
    bases.push(base);
    if (parentElement(at) !== null) inner += 1;
  }
  if (inner === 0) return undefined;
  return bases.reduceRight<string | undefined>((outer, base) => parseUrl(base, outer) ?? outer, pageUrl);
}

const QUERY_FROM = /^(?:https?:|(?![a-z][a-z0-9+.-]*:))[^?#]*\?/i;
/** The URL standard's set for queries. The characters that are encoded here are no ASCII, so it changes nothing. */
const QUERY_SET = ` "#'<>`;

/**
 * The reference of a page with its query as a browser sends it (URL standard): in the page's encoding, so that an old
 * site finds what it looks for. Characters that the encoding lacks become numeric references.
 */
export function encodeQuery(reference: string, encoding: string): string {
  const name = labelToName(encoding);
  if (name === null || /^(?:UTF-|replacement$)/.test(name)) return reference;
  const start = QUERY_FROM.exec(reference)?.[0].length;
  if (start === undefined || !/[^\0-\x7f]/.test(reference)) return reference;
  const hash = reference.indexOf('#', start);
  const end = hash === -1 ? reference.length : hash;
  const query = reference
    .slice(start, end)
    .toWellFormed()
    .replace(/[^\0-\x7f]+/g, (run) => percentEncodeAfterEncoding(name, run, QUERY_SET));
  return reference.slice(0, start) + query + reference.slice(end);
}

/**
 * The absolute URL of a reference; undefined when it is invalid. Without a base, the reference itself.
 * @param encoding of the page that holds it
 */
export function resolveUrl(
  reference: string,
  base: string | undefined,
  encoding = 'UTF-8',
): string | undefined {
  const text = encodeQuery(reference.trim(), encoding);
  const absolute = parseUrl(text, base);
  if (absolute !== undefined) return absolute;
  // Without a base, a reference stays relative if it would be valid on some page.
  return base === undefined && URL.canParse(text, 'http://page.invalid/') ? text : undefined;
}
