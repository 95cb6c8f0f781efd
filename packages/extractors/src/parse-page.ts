import { decodeHtml, isXml, parseHtml, parseXml, type PageDocument } from '@gleaner/html';
import type { Page } from './page.ts';

/**
 * The page as a tree: XML as XML, everything else as HTML.
 * @throws PageRejected above the engine's limits on a page
 */
export function parsePageTree(page: Page): PageDocument {
  const { text, encoding } = decodeHtml(page.body, page.contentType, page.finalUrl ?? page.url);
  return isXml(text, page.contentType)
    ? parseXml(text, encoding)
    : parseHtml(text, encoding, { composed: page.composed !== false });
}
