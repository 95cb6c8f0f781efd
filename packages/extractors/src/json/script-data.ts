import type { SelectorList } from '../css/selector.ts';
import { selectElements } from '../css/select.ts';
import { ExpressionFault } from '../fault.ts';
import { compileSelector } from '../css/compile.ts';
import { splitAttribute } from '../css/attribute-suffix.ts';
import { textOf, type PageDocument } from '../html/document.ts';
import { elementsByTag } from '../html/indexes.ts';
import { attributeOf } from '../html/tree.ts';
import { compilePattern, type Pattern } from '../transform/pattern.ts';
import { decodeEntities } from './entities.ts';
import type { Json } from './jsonpath.ts';
import { parseJsonText, readLooseValue } from './loose-value.ts';

/** Where embedded data is: in scripts (or an attribute) by selector, or after a pattern in any script. */
export type ScriptFinder =
  | { kind: 'css'; selector: SelectorList; attribute: string | undefined }
  | { kind: 'pattern'; pattern: Pattern };

/**
 * `/regex/` (with an optional `i`) or a CSS selector.
 * @throws ExpressionFault
 */
export const compileScriptFinder = (script: string): ScriptFinder => {
  const regex = /^\/(.+)\/(i?)$/s.exec(script);
  if (regex) {
    const [, source = '', flags = ''] = regex;
    try {
      return { kind: 'pattern', pattern: compilePattern(flags === 'i' ? `(?i)${source}` : source) };
    } catch (error) {
      if (error instanceof ExpressionFault && error.column !== undefined) {
        throw new ExpressionFault(error.message, error.column + 1);
      }
      throw error;
    }
  }
  const { selector, attribute } = splitAttribute(script);
  return { kind: 'css', selector: compileSelector(selector), attribute };
};

/** The first value from here on that reads as an object or array: `window.x = {…}`, `push([…])`. */
const firstValue = (text: string, from: number): Json | undefined => {
  const start = /[[{]|JSON\.parse\(/g;
  start.lastIndex = from;
  // Code has braces of its own: a few are tried, not all.
  for (let tries = 0; tries < 50; tries += 1) {
    const match = start.exec(text);
    if (match === null) return undefined;
    const read = readLooseValue(text, match.index);
    if (read !== undefined && typeof read.value === 'object') return read.value;
  }
  return undefined;
};

const valueIn = (text: string): Json | undefined => {
  const trimmed = text.trim();
  const whole = /^[[{"]|^-?\d|^(?:true|false|null)\b|^JSON\.parse\(/.test(trimmed)
    ? parseJsonText(trimmed)
    : undefined;
  if (whole !== undefined) return whole;
  // `{&quot;a&quot;: 1}`: escaped once too often.
  if (/&(?:quot|#34|#x22|amp);/i.test(trimmed)) {
    const decoded = decodeEntities(trimmed);
    const value = parseJsonText(decoded) ?? firstValue(decoded, 0);
    if (value !== undefined) return value;
  }
  return firstValue(trimmed, 0);
};

const MARK = /^\s*(?:[=:(,]\s*)*/;

const afterPattern = (pattern: Pattern, text: string): Json | undefined => {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return undefined;
  // A group around the data marks where it starts; else it starts after the match.
  const end = pattern.groupCount() > 0 && matcher.start(1) >= 0 ? matcher.start(1) : matcher.end();
  const from = end + (MARK.exec(text.slice(end, end + 200))?.[0].length ?? 0);
  const read = readLooseValue(text, from);
  return read === undefined ? firstValue(text, from) : read.value;
};

/** The data of each script found, in page order. */
export const readScriptData = (finder: ScriptFinder, document: PageDocument): Json[] => {
  const values: Json[] = [];
  if (finder.kind === 'css') {
    for (const element of selectElements(finder.selector, document, null, 100)) {
      const { attribute } = finder;
      const text = attribute === undefined ? textOf(document, element) : attributeOf(element, attribute);
      const value = text === undefined ? undefined : valueIn(text);
      if (value !== undefined) values.push(value);
    }
    return values;
  }
  for (const script of elementsByTag(document, 'script')) {
    const value = afterPattern(finder.pattern, textOf(document, script));
    if (value !== undefined) values.push(value);
  }
  return values;
};
