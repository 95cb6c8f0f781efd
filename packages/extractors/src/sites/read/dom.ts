import { selectAll, selectOne } from 'css-select';
import { isTag, isText, type AnyNode, type Document, type Element } from 'domhandler';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';

/** Markup nested deeper than any page of the sites is not read. */
const MAX_DEPTH = 2000;

/** The tree of a page, or undefined for markup that is nested absurdly deep. */
export const parsePage = (html: string): Document | undefined => {
  const document = parse(html, { treeAdapter: adapter, scriptingEnabled: false });
  return isDeeperThan(document, MAX_DEPTH) ? undefined : document;
};

const isDeeperThan = (root: Document, limit: number): boolean => {
  const stack: { node: AnyNode; depth: number }[] = [{ node: root, depth: 0 }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    if (entry.depth > limit) return true;
    if (!('children' in entry.node)) continue;
    for (const child of entry.node.children) stack.push({ node: child, depth: entry.depth + 1 });
  }
  return false;
};

export type Scope = Document | Element;

export const all = (scope: Scope, selector: string): Element[] =>
  selectAll<AnyNode, Element>(selector, scope);

export const one = (scope: Scope, selector: string): Element | undefined =>
  selectOne<AnyNode, Element>(selector, scope) ?? undefined;

export const attribute = (element: Element | undefined, ...names: string[]): string | null => {
  for (const name of names) {
    const value = element?.attribs[name]?.trim();
    if (value) return value;
  }
  return null;
};

const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);

const BLOCK = new Set([
  'p',
  'div',
  'li',
  'ul',
  'ol',
  'h1',
  'h2',
  'h3',
  'h4',
  'section',
  'blockquote',
  'figure',
  'tr',
]);

/** Text as it stands, line breaks of `br` kept. Undefined for no element. */
const rawText = (element: Element, isBlockAware: boolean): string => {
  let text = '';
  const visit = (node: AnyNode): void => {
    if (isText(node)) text += node.data;
    else if (isTag(node) && !HIDDEN.has(node.name)) {
      if (node.name === 'br') text += '\n';
      const isBlock = isBlockAware && BLOCK.has(node.name);
      if (isBlock && text !== '' && !text.endsWith('\n')) text += '\n';
      node.children.forEach(visit);
      if (isBlock && !text.endsWith('\n')) text += '\n';
    }
  };
  visit(element);
  return text;
};

/** Text on one line; null when there is none. */
export const lineOf = (element: Element | undefined): string | null => {
  if (!element) return null;
  return rawText(element, false).replaceAll(/\s+/g, ' ').trim() || null;
};

/** Text with the line breaks that the markup means; null when there is none. */
export const linesOf = (element: Element | undefined): string | null => {
  if (!element) return null;
  const text = rawText(element, true)
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return text || null;
};

/** Text whose white space means itself, trimmed; null when there is none. */
export const plainOf = (element: Element | undefined): string | null =>
  (element && rawText(element, false).trim()) || null;
