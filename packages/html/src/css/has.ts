import type { TreeElement } from '../tree/tree.ts';
import { candidatesOf, matchesCompound, stepLeft } from './match.ts';
import type { Combinator, Matching, SelectorList, Test } from './selector.ts';

/** Marks every element from which the combinator reaches one of `targets`. Linear in the page. */
function markLeft(combinator: Combinator, targets: readonly TreeElement[], marks: Uint8Array): void {
  const isOneStep = combinator === '>' || combinator === '+';
  for (const target of targets) {
    let left = stepLeft(combinator, target);
    while (left !== null && marks[left.order] === 0) {
      marks[left.order] = 1;
      left = isOneStep ? null : stepLeft(combinator, left);
    }
  }
}

function computeMarks(list: SelectorList, matching: Matching): Uint8Array {
  const { document } = matching;
  const marks = new Uint8Array(document.elements.length);
  for (const { compounds } of list) {
    let allowed: Uint8Array | null = null;
    for (const [index, compound] of compounds.toReversed().entries()) {
      const reachable = allowed;
      const targets = candidatesOf(compound, document).filter(
        (element) =>
          (reachable === null || reachable[element.order] === 1) &&
          matchesCompound(compound, element, matching),
      );
      if (index === compounds.length - 1) {
        // Separate marks per chain: the early stops in markLeft are only valid for marks of one combinator.
        const last = new Uint8Array(document.elements.length);
        markLeft(compound.combinator, targets, last);
        for (let order = 0; order < last.length; order += 1) if (last[order] === 1) marks[order] = 1;
      } else {
        allowed = new Uint8Array(document.elements.length);
        markLeft(compound.combinator, targets, allowed);
      }
    }
  }
  return marks;
}

/**
 * `:has(…)`: evaluated from right to left for the whole page at once. It costs page size × compounds, regardless of the
 * number of tested elements and the nesting.
 */
export function hasTest(list: SelectorList): Test {
  const key = { has: list };
  return (element, matching) => {
    const known = matching.document.memo.get(key);
    const marks = known instanceof Uint8Array ? known : computeMarks(list, matching);
    if (marks !== known) matching.document.memo.set(key, marks);
    return marks[element.order] === 1;
  };
}
