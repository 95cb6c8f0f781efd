import {
  type PageDocument,
  PageRejected,
  type SelectorList,
  type TreeElement,
  attributeOf,
  compileSelector,
  isElement,
  isText,
  parentElement,
  parseHtml,
  selectElements,
} from '@gleaner/html';

/** An element together with its page, which selectors look things up in. */
export interface PageElement {
  readonly page: PageDocument;
  readonly node: TreeElement;
}

export type DomScope = PageDocument | PageElement;

/** The tree of a page; undefined for markup that exceeds the limits on depth and size. */
export function parsePage(html: string): PageDocument | undefined {
  try {
    return parseHtml(html);
  } catch (error) {
    if (error instanceof PageRejected) return undefined;
    throw error;
  }
}

const COMPILED = { kind: 'selectors of the site readers' };

function select(scope: DomScope, selector: string, limit: number): PageElement[] {
  const [page, within] = 'page' in scope ? [scope.page, scope.node] : [scope, null];
  const known = (page.memo.get(COMPILED) as Map<string, SelectorList> | undefined) ?? new Map();
  page.memo.set(COMPILED, known);
  // Compiled once for each page.
  const compiled: SelectorList = known.get(selector) ?? compileSelector(selector);
  known.set(selector, compiled);
  return selectElements(compiled, page, within, limit).map((node) => ({ page, node }));
}

export function all(scope: DomScope, selector: string): PageElement[] {
  return select(scope, selector, Infinity);
}

export function one(scope: DomScope, selector: string): PageElement | undefined {
  return select(scope, selector, 1)[0];
}

/** The first attribute that is present and not empty. */
export function attribute(element: PageElement | undefined, ...names: string[]): string | null {
  for (const name of names) {
    const value = element && attributeOf(element.node, name)?.trim();
    if (value) return value;
  }
  return null;
}

/** Whether the element or an ancestor has a class that matches the pattern. */
export function isWithin(element: PageElement, pattern: RegExp, { orIs = false } = {}): boolean {
  for (let node = orIs ? element.node : parentElement(element.node); node; node = parentElement(node)) {
    if (pattern.test(attributeOf(node, 'class') ?? '')) return true;
  }
  return false;
}

const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);

const BLOCK = new Set('p div li ul ol h1 h2 h3 h4 section blockquote figure tr'.split(' '));

/**
 * Depth is bounded by the parser's limits.
 * @param without elements that are left out together with their content; where given, block elements begin and end lines
 */
function rawText(top: TreeElement, without?: ReadonlySet<TreeElement>): string {
  let text = '';
  const visit = (element: TreeElement): void => {
    for (let node = element.first; node !== null; node = node.next) {
      if (isText(node)) text += node.data;
      if (!isElement(node) || HIDDEN.has(node.localName) || without?.has(node)) continue;
      if (node.localName === 'br') text += '\n';
      const isBlock = without !== undefined && BLOCK.has(node.localName);
      if (isBlock && text !== '' && !text.endsWith('\n')) text += '\n';
      visit(node);
      if (isBlock && !text.endsWith('\n')) text += '\n';
    }
  };
  visit(top);
  return text;
}

/** Text on one line; null when there is none. */
export function lineOf(element: PageElement | undefined): string | null {
  if (!element) return null;
  const text = rawText(element.node);
  return text.replaceAll(/\s+/g, ' ').trim() || null;
}

/** Text with the line breaks of the markup, without the selected elements; null when there is none. */
export function linesOf(element: PageElement | undefined, without: string): string | null {
  if (!element) return null;
  const left = new Set(all(element, without).map(({ node }) => node));
  const text = rawText(element.node, left)
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return text || null;
}

/** Text with its white space preserved, trimmed; null when there is none. */
export function plainOf(element: PageElement | undefined): string | null {
  return (element && rawText(element.node).trim()) || null;
}
