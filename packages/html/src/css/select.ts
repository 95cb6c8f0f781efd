import type { PageDocument } from '../tree/document.ts';
import { isElement, type TreeElement } from '../tree/tree.ts';
import { candidatesOf, matchesComplex } from './match.ts';
import type { Complex, Matching, SelectorList } from './selector.ts';

/** Index of the first element whose order is at least `order`. */
function lowerBound(elements: readonly TreeElement[], order: number): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((elements[middle]?.order ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The range of orders that contains all matches: inside the scope, or after it for `+` and `~`. */
function rangeOf(complex: Complex, scope: TreeElement): [from: number, to: number] {
  const first = complex.compounds[0];
  if (first?.key.kind === 'scope') {
    const siblings = complex.compounds[1]?.combinator;
    if (complex.compounds.length === 1) return [scope.order, scope.order];
    if (siblings !== '+' && siblings !== '~') return [scope.order, scope.lastOrder];
  } else if (first?.combinator !== '+' && first?.combinator !== '~') {
    return [scope.order + 1, scope.lastOrder];
  }
  return [scope.lastOrder + 1, isElement(scope.parent) ? scope.parent.lastOrder : scope.lastOrder];
}

function selectComplex(complex: Complex, matching: Matching, limit: number, found: TreeElement[]): void {
  const subject = complex.compounds.at(-1);
  if (subject === undefined) return;
  const candidates = candidatesOf(subject, matching.document);
  let start = 0;
  let last = Infinity;
  if (matching.scope !== null) {
    const [from, to] = rangeOf(complex, matching.scope);
    start = lowerBound(candidates, from);
    last = to;
  }
  for (let index = start; index < candidates.length; index += 1) {
    const element = candidates[index];
    if (element === undefined || element.order > last) return;
    if (matchesComplex(complex, element, matching)) {
      found.push(element);
      if (found.length >= limit) return;
    }
  }
}

const STAMPS = { kind: 'stamps' };

function nextStamp(document: PageDocument): number {
  const stamp = ((document.memo.get(STAMPS) as number | undefined) ?? 1) + 1;
  document.memo.set(STAMPS, stamp);
  return stamp;
}

/**
 * Returns at most `limit` matches in document order. With a scope, the whole selector is relative to it: all parts lie
 * inside the scope, `> a` starts at its children and `+ a` at its next sibling.
 */
export function selectElements(
  list: SelectorList,
  document: PageDocument,
  scope: TreeElement | null,
  limit = Infinity,
): TreeElement[] {
  const matching: Matching = { document, scope, stamp: scope === null ? 1 : nextStamp(document) };
  const [only] = list;
  if (list.length === 1 && only !== undefined) {
    const found: TreeElement[] = [];
    selectComplex(only, matching, limit, found);
    return found;
  }
  const merged = new Set<TreeElement>();
  for (const complex of list) {
    const found: TreeElement[] = [];
    selectComplex(complex, matching, limit, found);
    for (const element of found) merged.add(element);
  }
  return [...merged].sort((a, b) => a.order - b.order).slice(0, limit);
}
