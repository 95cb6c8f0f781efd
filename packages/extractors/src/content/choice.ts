import type { TreeElement, TreeNode } from '@gleaner/html';

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
