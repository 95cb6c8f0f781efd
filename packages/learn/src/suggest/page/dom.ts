import { isElement, nextElement, parentElement, previousElement, type TreeElement } from '@gleaner/html';

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

/** 1-based position among siblings with the same name; undefined for the only one. */
export function nthOfType(element: TreeElement): number | undefined {
  let nth = 1;
  for (let before = previousElement(element); before !== null; before = previousElement(before)) {
    if (before.localName === element.localName) nth += 1;
  }
  if (nth > 1) return nth;
  for (let after = nextElement(element); after !== null; after = nextElement(after)) {
    if (after.localName === element.localName) return 1;
  }
  return undefined;
}
