/** `a.next@href` → the selector and the attribute; `@href` alone is an attribute of the match itself. */
export const splitAttribute = (text: string): { selector: string; attribute: string | undefined } => {
  const match = /^([^]*?)\s*@([A-Za-z_][\w:.-]*)$/.exec(text);
  if (match === null) return { selector: text, attribute: undefined };
  const [, selector = '', attribute] = match;
  return { selector: selector === '' ? ':scope' : selector, attribute };
};
