import type { PageFact, PdfFact } from '@gleaner/contracts';
import {
  COMMENT,
  HTML_NAMESPACE,
  type PageDocument,
  type TreeNode,
  attributeOf,
  decodeHtml,
  elementsByTag,
  innerHtmlOf,
  isElement,
  isXml,
  outerHtmlOf,
  readPageText,
  readTextOf,
  resolveUrl,
  withXmlDeclaration,
} from '@gleaner/html';
import type { FactsOf } from './facts-of.ts';
import { jsonTextOf } from '../json/page-json.ts';
import type { Page } from '../page.ts';
import { isPdfPage } from '../parse-page.ts';
import { authorOf } from './author.ts';
import { isLeftOut } from './choice.ts';
import { descriptionOf, headlineOf, imageOf, modifiedOf, publishedOf } from './authored.ts';
import { mainContentOf } from './main-content.ts';
import { markdownOf } from './markdown.ts';

function titleOf(document: PageDocument): string | undefined {
  const title = elementsByTag(document, 'title').find(({ namespace }) => namespace === HTML_NAMESPACE);
  return title && readTextOf(document, title);
}

/** The absolute http and https addresses that the page links to, each once, in document order. */
function linksOf({ document, base }: FactsOf): string[] {
  const links = new Set<string>();
  for (const element of document.elements) {
    if (element.localName !== 'a' && element.localName !== 'area') continue;
    const href = attributeOf(element, 'href');
    const url = href === undefined ? undefined : resolveUrl(href, base, document.encoding);
    if (url !== undefined && (/^https?:/i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url))) links.add(url);
  }
  return [...links];
}

/** The page itself. A tree of XML has no prefixes and no prolog, so XML is the text that was sent. */
function wholeOf({ document, page }: FactsOf): string | undefined {
  if (isPdfPage(page)) return undefined;
  const { text } = decodeHtml(page.body, page.contentType, page.finalUrl ?? page.url);
  return isXml(text, page.contentType)
    ? withXmlDeclaration(text, page.contentType)
    : innerHtmlOf(document, document.root);
}

function contentOf({ document, base }: FactsOf): string {
  const content = mainContentOf(document);
  return markdownOf(document, content.elements, base, content);
}

/** The main content as HTML: without scripts, styles, comments, and what is neither shown nor content. */
function mainHtmlOf({ document, page }: FactsOf): string | undefined {
  if (isPdfPage(page)) return undefined;
  const choice = mainContentOf(document);
  const leavesOut = (node: TreeNode): boolean =>
    isElement(node) ? isLeftOut(choice, node) : node.nodeType === COMMENT || choice.without.has(node);
  return choice.elements.map((element) => outerHtmlOf(document, element, leavesOut)).join('');
}

/** Characters of the responses of a page together; those beyond are left out. */
const MAX_RESPONSE_TEXT = 4_000_000;

/** The JSON responses that the page loaded, each as the JSON text of its address and body. */
function responsesOf({ captures = [] }: Page): string[] {
  let length = 0;
  return captures.flatMap(({ url, json }) => {
    length += json.length;
    return length > MAX_RESPONSE_TEXT || !/^\s*[[{]/.test(json) ? [] : [JSON.stringify({ url, body: json })];
  });
}

/** A fact that a PDF states, and how it is read of another page. */
function orPdf(
  fact: PdfFact,
  read: (of: FactsOf) => FactValue | undefined,
): (of: FactsOf) => FactValue | undefined {
  return (of) => (isPdfPage(of.page) ? of.page.pdf?.[fact] : read(of));
}

type FactValue = string | number;

/** How each fact is read; undefined for what the page doesn't state. */
const READERS: Readonly<Record<PageFact, (of: FactsOf) => FactValue | readonly FactValue[] | undefined>> = {
  url: ({ page }) => page.url,
  final_url: ({ page }) => page.finalUrl ?? page.url,
  status: ({ page }) => page.status,
  fetched_at: ({ page }) => page.fetchedAt,
  screenshot: ({ page }) => page.files?.screenshot,
  pdf: ({ page }) => page.files?.pdf,
  title: orPdf('title', ({ document }) => titleOf(document)),
  headline: headlineOf,
  language: ({ language }) => language(),
  text: orPdf('text', ({ document }) => readPageText(document)),
  markdown: orPdf('markdown', contentOf),
  main_html: mainHtmlOf,
  html: wholeOf,
  links: linksOf,
  responses: ({ page }) => responsesOf(page),
  json: ({ page }) => jsonTextOf(page),
  pages: ({ page }) => page.pdf?.pages,
  published: publishedOf,
  modified: modifiedOf,
  author: authorOf,
  description: descriptionOf,
  image: imageOf,
};

/** The values of one fact about the page; empty when the page doesn't state it. */
export function pageFact(fact: PageFact, of: FactsOf): readonly FactValue[] {
  const found = READERS[fact](of);
  if (found === undefined) return [];
  return typeof found === 'object' ? found : [found];
}
