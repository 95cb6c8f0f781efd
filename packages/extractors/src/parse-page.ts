import { isPdf } from '@gleaner/contracts/bytes';
import { decodeHtml, isXml, parseHtml, parseXml, type PageDocument } from '@gleaner/html';
import type { Page } from './page.ts';

/** Why fields find nothing on a PDF. */
export const NO_SELECTORS = 'selectors read no PDF: page facts (text, markdown, title, pages) do';

/** Whether the page is a PDF, which has facts and nothing to select. */
export function isPdfPage({ body, pdf }: Page): boolean {
  return pdf !== undefined || isPdf(body);
}

/**
 * The page as a tree: XML as XML, an empty one for a PDF, everything else as HTML.
 * @throws PageRejected above the engine's limits on a page
 */
export function parsePageTree(page: Page): PageDocument {
  if (isPdfPage(page)) return parseHtml('');
  const { text, encoding } = decodeHtml(page.body, page.contentType, page.finalUrl ?? page.url);
  return isXml(text, page.contentType)
    ? parseXml(text, encoding)
    : parseHtml(text, encoding, { composed: page.composed !== false });
}
