/** Access to the page tree and CSS. This is the only file of this folder that imports them. */
import {
  attributeOf,
  compileSelector,
  decodeHtml,
  elementsByTag,
  isElement,
  isText,
  nextElement,
  parentElement,
  parseHtml,
  previousElement,
  readOwnTextOf,
  readTextOf,
  resolveUrl,
  selectElements,
  textOf,
  type PageDocument,
  type SelectorList,
  type TreeData,
  type TreeElement,
  type TreeNode,
} from '@gleaner/html';

export type { PageDocument, SelectorList, TreeData, TreeElement, TreeNode };
export {
  attributeOf,
  compileSelector,
  elementsByTag as elementsNamed,
  isElement,
  isText,
  nextElement,
  parentElement,
  previousElement,
  readOwnTextOf,
  readTextOf,
  resolveUrl,
  selectElements,
  textOf,
};

/** @throws PageRejected above the engine's limits on depth, nodes and attributes. */
export function parsePage(body: Uint8Array | string, contentType: string | undefined): PageDocument {
  return parseHtml(decodeHtml(body, contentType).text);
}

export function childElements(element: TreeElement): TreeElement[] {
  const children: TreeElement[] = [];
  for (let node = element.first; node !== null; node = node.next) if (isElement(node)) children.push(node);
  return children;
}

/** At most `limit` ancestors, from the element's parent to the page's root element. */
export function ancestorsOf(element: TreeElement, limit = 60): TreeElement[] {
  const found: TreeElement[] = [];
  for (let up = parentElement(element); up !== null && found.length < limit; up = parentElement(up)) {
    found.push(up);
  }
  return found;
}

export function contains(outer: TreeElement, inner: TreeElement): boolean {
  return inner.order >= outer.order && inner.order <= outer.lastOrder;
}

/** The deepest element that contains both; undefined for elements of different trees. */
export function commonAncestor(a: TreeElement, b: TreeElement): TreeElement | undefined {
  for (let up: TreeElement | null = a; up !== null; up = parentElement(up)) if (contains(up, b)) return up;
  return undefined;
}

/** 1-based position among siblings with the same name. */
export function positionOfType(element: TreeElement): number {
  let position = 1;
  for (let before = previousElement(element); before !== null; before = previousElement(before)) {
    if (before.localName === element.localName) position += 1;
  }
  return position;
}

export function isOnlyOfType(element: TreeElement): boolean {
  if (positionOfType(element) > 1) return false;
  for (let after = nextElement(element); after !== null; after = nextElement(after)) {
    if (after.localName === element.localName) return false;
  }
  return true;
}
