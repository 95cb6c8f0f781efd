import { parse } from 'css-what';

/**
 * Whether a text has the grammar of a CSS selector. A browser may still refuse it, for a pseudo-class that does not
 * exist; what passes here is never a slip of the pen such as `##` or `a[`.
 */
export function isCssSelector(text: string): boolean {
  try {
    return parse(text).every((tokens) => tokens.length > 0 && !isCombinator(tokens.at(-1)?.type));
  } catch {
    return false;
  }
}

const COMBINATORS = new Set(['adjacent', 'child', 'descendant', 'parent', 'sibling', 'column-combinator']);

function isCombinator(type: string | undefined): boolean {
  return type !== undefined && COMBINATORS.has(type);
}
