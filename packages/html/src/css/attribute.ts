import { AttributeAction, type AttributeSelector } from 'css-what';
import { attributeOf, HTML_NAMESPACE } from '../tree/tree.ts';
import { classNamesOf } from '../tree/indexes.ts';
import type { Test } from './selector.ts';
import { ExpressionFault } from '../fault.ts';

/**
 * Splits `a.next@href` into selector and attribute; `@href` alone reads the scope's attribute. An escaped `@` is part of
 * a name: `.left\@tablet`.
 * @throws ExpressionFault for a second `@attribute`
 */
export function splitAttribute(text: string): { selector: string; attribute: string | undefined } {
  const match = /^([^]*?)\s*(?<!\\)@([A-Za-z_][\w:.-]*)$/.exec(text);
  if (match === null) return { selector: text, attribute: undefined };
  const [, selector = '', attribute] = match;
  const second = /(?<!\\)@[A-Za-z_][\w:.-]*$/.exec(selector);
  if (second !== null) throw new ExpressionFault('only one @attribute can end a selector', second.index + 1);
  return { selector: selector === '' ? ':scope' : selector, attribute };
}

/** HTML attributes with case-insensitive values (HTML standard, "case-sensitivity of selectors"). */
const CASELESS_VALUES = new Set(
  `accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir
  direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize
  noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink`.split(
    /\s+/,
  ),
);

type Compare = (value: string, wanted: string) => boolean;

const COMPARE: Readonly<Record<AttributeAction, Compare>> = {
  [AttributeAction.Exists]: () => true,
  [AttributeAction.Equals]: (value, wanted) => value === wanted,
  [AttributeAction.Not]: (value, wanted) => value !== wanted,
  [AttributeAction.Start]: (value, wanted) => wanted !== '' && value.startsWith(wanted),
  [AttributeAction.End]: (value, wanted) => wanted !== '' && value.endsWith(wanted),
  [AttributeAction.Any]: (value, wanted) => wanted !== '' && value.includes(wanted),
  [AttributeAction.Hyphen]: (value, wanted) => value === wanted || value.startsWith(`${wanted}-`),
  [AttributeAction.Element]: (value, wanted) =>
    value === wanted
      ? wanted !== '' && !/\s/.test(wanted)
      : value.length > wanted.length && classNamesOf(value).includes(wanted),
};

/** `[name]`, `[name^="…" i]`, `.class` and `#id`. */
export function attributeTest({ name, value, action, ignoreCase }: AttributeSelector): Test {
  const lowered = name.toLowerCase();
  const compare = COMPARE[action];
  const caseless = value.toLowerCase();
  const isNot = action === AttributeAction.Not;
  const caselessInHtml = ignoreCase === null && CASELESS_VALUES.has(lowered);
  return (element, { document }) => {
    const isHtml = element.namespace === HTML_NAMESPACE;
    const actual = attributeOf(element, isHtml ? lowered : name);
    // `[a!=b]` is jQuery's operator: it also matches without the attribute.
    if (actual === undefined) return isNot;
    const fold =
      ignoreCase === true || (caselessInHtml && isHtml) || (ignoreCase === 'quirks' && document.quirks);
    return fold ? compare(actual.toLowerCase(), caseless) : compare(actual, value);
  };
}
