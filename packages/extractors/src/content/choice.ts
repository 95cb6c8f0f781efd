import { isUnseen, type TreeElement, type TreeNode } from '@gleaner/html';

/** Tags of elements that are written only where they are chosen. */
export const LEFT_OUT = new Set('button select input svg object embed map progress meter'.split(' '));

/** Tags of elements whose text is apart from others, though browsers show them within a line. */
export const WITHIN_LINES = new Set(['td', 'th', 'button']);

/** What is written otherwise than a browser without the page's stylesheets would show it. */
export interface Choice {
  /** Nodes that are left out together with their content. */
  readonly without: ReadonlySet<TreeNode>;
  /** Elements that are written, though they are hidden or controls. */
  readonly revealed: ReadonlySet<TreeElement>;
}

/** Whether an element is not written, with all that it holds. */
export function isLeftOut({ without, revealed }: Choice, element: TreeElement): boolean {
  if (without.has(element)) return true;
  return (isUnseen(element) || LEFT_OUT.has(element.localName)) && !revealed.has(element);
}
