import { parse } from 'css-what';

/**
 * Whether a text has the grammar of a CSS selector. This finds mistakes such as `##` or `a[`. A browser may still
 * reject a selector with an unknown pseudo-class.
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
