import { decodeHtml, parseHtml, type PageDocument } from '@gleaner/html';
import type { Page } from './page.ts';

/**
 * The page as a tree.
 * @throws PageRejected above the engine's limits on a page
 */
export function parsePageHtml(page: Page): PageDocument {
  const { text, encoding } = decodeHtml(page.body, page.contentType, page.finalUrl ?? page.url);
  return parseHtml(text, encoding);
}
