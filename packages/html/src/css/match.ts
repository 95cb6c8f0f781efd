import type { PageDocument } from '../tree/document.ts';
import { elementsByClass, elementsById, elementsByTag } from '../tree/indexes.ts';
import { parentElement, previousElement, type TreeElement } from '../tree/tree.ts';
import type { Combinator, Complex, Compound, Matching } from './selector.ts';

export function matchesCompound(compound: Compound, element: TreeElement, matching: Matching): boolean {
  const { tests } = compound;
  for (let index = 0; index < tests.length; index += 1) {
    if (tests[index]?.(element, matching) !== true) return false;
  }
  return true;
}

/** The elements that can match the compound, in document order: those of its rarest simple selector. */
export function candidatesOf(compound: Compound, document: PageDocument): readonly TreeElement[] {
  const { key } = compound;
  if (key.kind === 'id') return elementsById(document, key.name);
  if (key.kind === 'class') return elementsByClass(document, key.name);
  return key.kind === 'tag' ? elementsByTag(document, key.name) : document.elements;
}

function memoOf(document: PageDocument, key: Compound): Int32Array {
  const known = document.memo.get(key);
  if (known instanceof Int32Array) return known;
  const memo = new Int32Array(document.elements.length);
  document.memo.set(key, memo);
  return memo;
}

/** The element on the left of the combinator: the parent, or the element before. */
export function stepLeft(combinator: Combinator, element: TreeElement): TreeElement | null {
  return combinator === ' ' || combinator === '>' ? parentElement(element) : previousElement(element);
}

/**
 * Whether one of the ancestors (or earlier siblings) from `start` on matches the compounds up to `index`. Each element's
 * result is memoised for the page and scope, so a selector costs at most elements × compounds.
 */
function reaches(
  complex: Complex,
  index: number,
  start: TreeElement | null,
  combinator: Combinator,
  matching: Matching,
): boolean {
  const compound = complex.compounds[index];
  if (compound === undefined) return false;
  const memo = memoOf(matching.document, compound);
  const stamp = complex.isScoped ? matching.stamp : 1;
  const floor = complex.isScoped ? (matching.scope?.order ?? -1) : -1;
  const yes = stamp * 2 + 1;
  const no = stamp * 2;
  let found = false;
  let stop = start;
  while (stop !== null && stop.order > floor) {
    const known = memo[stop.order];
    if (known === yes || known === no) {
      found = known === yes;
      break;
    }
    if (matchesFrom(complex, index, stop, matching)) {
      memo[stop.order] = yes;
      found = true;
      break;
    }
    stop = stepLeft(combinator, stop);
  }
  const answer = found ? yes : no;
  for (let walked = start; walked !== null && walked !== stop; walked = stepLeft(combinator, walked)) {
    memo[walked.order] = answer;
  }
  return found;
}

function isAtScope(combinator: Combinator, element: TreeElement, { scope }: Matching): boolean {
  if (scope === null) return combinator === ' ' || (combinator === '>' && parentElement(element) === null);
  if (combinator === ' ') return element.order > scope.order && element.order <= scope.lastOrder;
  if (combinator === '~') return element.parent === scope.parent && element.order > scope.order;
  return stepLeft(combinator, element) === scope;
}

/** Whether the element matches the complex selector's compounds up to and including `index`. */
export function matchesFrom(
  complex: Complex,
  index: number,
  element: TreeElement,
  matching: Matching,
): boolean {
  const compound = complex.compounds[index];
  if (compound === undefined || !matchesCompound(compound, element, matching)) return false;
  if (index === 0) {
    if (!complex.isScoped) return true;
    return compound.key.kind === 'scope' || isAtScope(compound.combinator, element, matching);
  }
  const { combinator } = compound;
  const left = stepLeft(combinator, element);
  if (combinator === ' ' || combinator === '~')
    return reaches(complex, index - 1, left, combinator, matching);
  return left !== null && matchesFrom(complex, index - 1, left, matching);
}

export function matchesComplex(complex: Complex, element: TreeElement, matching: Matching): boolean {
  return matchesFrom(complex, complex.compounds.length - 1, element, matching);
}
