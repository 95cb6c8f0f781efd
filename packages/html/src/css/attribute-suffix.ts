import { ExpressionFault } from '../fault.ts';

/**
 * Splits `a.next@href` into selector and attribute; `@href` alone reads the scope's attribute.
 * @throws ExpressionFault for a second `@attribute`
 */
export function splitAttribute(text: string): { selector: string; attribute: string | undefined } {
  const match = /^([^]*?)\s*@([A-Za-z_][\w:.-]*)$/.exec(text);
  if (match === null) return { selector: text, attribute: undefined };
  const [, selector = '', attribute] = match;
  const second = /@[A-Za-z_][\w:.-]*$/.exec(selector);
  if (second !== null) throw new ExpressionFault('only one @attribute can end a selector', second.index + 1);
  return { selector: selector === '' ? ':scope' : selector, attribute };
}
