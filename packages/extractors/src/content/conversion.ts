import {
  type PageDocument,
  type TreeElement,
  type TreeNode,
  type TreeParent,
  attributeOf,
} from '@gleaner/html';
import type { Choice } from './choice.ts';
import type { Item } from './nodes.ts';

export interface Conversion {
  readonly document: PageDocument;
  /** The base of relative addresses. */
  readonly base: string | undefined;
  readonly choice: Choice;
  /** Writes one node of the page. */
  readonly write: (node: TreeNode, around: Around, out: Item[]) => void;
  /** The nodes of what the parent holds. */
  readonly inside: (parent: TreeParent, around: Around) => Item[];
}

export interface Around {
  readonly nesting: number;
  /** Marks around the node: a link, or a term of a list, holds no other. */
  readonly marks: ReadonlySet<string>;
}

/** Writes the nodes of an element. */
export type Convert = (conversion: Conversion, element: TreeElement, around: Around, out: Item[]) => void;

export function deeper({ nesting, marks }: Around): Around {
  return { nesting: nesting + 1, marks };
}

export function lineIn(element: TreeElement, attribute: string): string {
  return (attributeOf(element, attribute) ?? '').replaceAll(/\s+/g, ' ').trim();
}
