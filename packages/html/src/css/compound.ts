import { elementsByClass, elementsById, elementsByTag } from '../tree/indexes.ts';
import type { PageDocument } from '../tree/document.ts';
import type { TreeElement } from '../tree/tree.ts';
import type { Compound, Matching } from './selector.ts';

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
  switch (key.kind) {
    case 'id': {
      return elementsById(document, key.name);
    }
    case 'class': {
      return elementsByClass(document, key.name);
    }
    case 'tag': {
      return elementsByTag(document, key.name);
    }
    case 'all':
    case 'scope': {
      return document.elements;
    }
  }
}
