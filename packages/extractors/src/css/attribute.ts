import type { AttributeSelector } from 'css-what';
import { attributeOf, HTML_NAMESPACE } from '../html/tree.ts';
import { classNamesOf } from '../html/indexes.ts';
import type { Test } from './selector.ts';

/** HTML attributes whose values match without regard to case (HTML standard, "case-sensitivity of selectors"). */
const CASELESS_VALUES = new Set(
  `accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir
  direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize
  noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink`.split(
    /\s+/,
  ),
);

const compareBy = (
  action: AttributeSelector['action'],
  wanted: string,
): ((value: string) => boolean) | undefined => {
  switch (action as string) {
    case 'exists': {
      return () => true;
    }
    case 'equals': {
      return (value) => value === wanted;
    }
    case 'not': {
      return (value) => value !== wanted;
    }
    case 'start': {
      return (value) => wanted !== '' && value.startsWith(wanted);
    }
    case 'end': {
      return (value) => wanted !== '' && value.endsWith(wanted);
    }
    case 'any': {
      return (value) => wanted !== '' && value.includes(wanted);
    }
    case 'hyphen': {
      return (value) => value === wanted || value.startsWith(`${wanted}-`);
    }
    case 'element': {
      if (wanted === '' || /\s/.test(wanted)) return () => false;
      return (value) =>
        value === wanted || (value.length > wanted.length && classNamesOf(value).includes(wanted));
    }
    default: {
      return undefined;
    }
  }
};

/** @returns undefined for an operator that is not supported. */
export const attributeTest = (selector: AttributeSelector): Test | undefined => {
  const lowered = selector.name.toLowerCase();
  const { name, value, ignoreCase } = selector;
  const exact = compareBy(selector.action, value);
  const caseless = compareBy(selector.action, value.toLowerCase());
  if (exact === undefined || caseless === undefined) return undefined;
  const isNot = (selector.action as string) === 'not';
  const caselessInHtml = ignoreCase === null && CASELESS_VALUES.has(lowered);
  return (element, { document }) => {
    const isHtml = element.namespace === HTML_NAMESPACE;
    const actual = attributeOf(element, isHtml ? lowered : name);
    // `[a!=b]` is jQuery's: also true without the attribute.
    if (actual === undefined) return isNot;
    const fold =
      ignoreCase === true || (caselessInHtml && isHtml) || (ignoreCase === 'quirks' && document.quirks);
    return fold ? caseless(actual.toLowerCase()) : exact(actual);
  };
};
