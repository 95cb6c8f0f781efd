import {
  ExpressionFault,
  type PageDocument,
  type SelectorList,
  attributeInAnyCase,
  compileSelector,
  elementsByTag,
  selectElements,
  splitAttribute,
  textOf,
} from '@gleaner/html';
import { compilePattern, type Pattern } from '../transform/pattern.ts';
import type { Json } from './jsonpath.ts';
import { parseJsonText, readLooseValue } from './loose-value.ts';
import { readServerComponents, STREAM_NAME } from './server-components.ts';

const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  nbsp: '\u00A0',
};

/** The few entities that escape JSON inside HTML. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(quot|amp|lt|gt|apos|nbsp));/gi,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}

/** The location of embedded data: scripts (or an attribute) by selector, or the text after a pattern in any script. */
export type ScriptFinder =
  | { kind: 'css'; selector: SelectorList; attribute: string | undefined }
  | { kind: 'pattern'; pattern: Pattern; isStream: boolean };

/**
 * `/regex/` (with an optional `i`) or a CSS selector.
 * @throws ExpressionFault
 */
export function compileScriptFinder(script: string): ScriptFinder {
  const regex = /^\/(.+)\/(i?)$/s.exec(script);
  if (regex) {
    const [, source = '', flags = ''] = regex;
    try {
      const pattern = compilePattern(flags === 'i' ? `(?i)${source}` : source);
      return { kind: 'pattern', pattern, isStream: source.includes(STREAM_NAME) };
    } catch (error) {
      if (error instanceof ExpressionFault && error.column !== undefined) {
        throw new ExpressionFault(error.message, error.column + 1);
      }
      throw error;
    }
  }
  const { selector, attribute } = splitAttribute(script);
  return { kind: 'css', selector: compileSelector(selector), attribute };
}

/** The first value at or after this index that is an object or array: `window.x = {…}`, `push([…])`. */
function firstValue(text: string, from: number): Json | undefined {
  const start = /[[{]|JSON\.parse\(/g;
  start.lastIndex = from;
  // Code also contains braces, so only the first few are tried.
  for (let tries = 0; tries < 50; tries += 1) {
    const match = start.exec(text);
    if (match === null) return undefined;
    const read = readLooseValue(text, match.index);
    if (read !== undefined && typeof read.value === 'object') return read.value;
  }
  return undefined;
}

/** The data of a script, or that it holds unreadable data; undefined when it holds none. */
type Found = { value: Json } | 'unreadable' | undefined;

/** The first value of a text. If the text starts with a bracket, only that value counts, not a value inside it. */
function startOrFirst(text: string, from: number): Found {
  const read = readLooseValue(text, from);
  if (read !== undefined && typeof read.value === 'object') return { value: read.value };
  if (/[[{]/.test(text.charAt(from))) return 'unreadable';
  const value = firstValue(text, from);
  return value === undefined ? undefined : { value };
}

function valueIn(text: string): Found {
  const trimmed = text.trim();
  const whole = /^[[{"]|^-?\d|^(?:true|false|null)\b|^JSON\.parse\(/.test(trimmed)
    ? parseJsonText(trimmed)
    : undefined;
  if (whole !== undefined) return { value: whole };
  // `{&quot;a&quot;: 1}`: escaped twice.
  if (/&(?:quot|#34|#x22|amp);/i.test(trimmed)) {
    const decoded = decodeEntities(trimmed);
    const value = parseJsonText(decoded);
    const found = value === undefined ? startOrFirst(decoded, 0) : { value };
    if (found !== undefined && found !== 'unreadable') return found;
  }
  return startOrFirst(trimmed, 0);
}

const MARK = /^\s*(?:[=:(,]\s*)*/;

function afterPattern(pattern: Pattern, text: string): Found {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return undefined;
  // The data starts at the pattern's group, or after the match when the pattern has none.
  const end = pattern.groupCount() > 0 && matcher.start(1) >= 0 ? matcher.start(1) : matcher.end();
  const from = end + (MARK.exec(text.slice(end, end + 200))?.[0].length ?? 0);
  const read = readLooseValue(text, from);
  return read === undefined ? startOrFirst(text, from) : { value: read.value };
}

export interface ScriptData {
  /** The data of each script found, in document order. */
  values: Json[];
  /** The number of scripts with unreadable data: computed or truncated. */
  unreadable: number;
}

export function readScriptData(finder: ScriptFinder, document: PageDocument): ScriptData {
  const data: ScriptData = { values: [], unreadable: 0 };
  const texts: string[] = [];
  const add = (found: Found): void => {
    if (found === 'unreadable') data.unreadable += 1;
    else if (found !== undefined) data.values.push(found.value);
  };
  if (finder.kind === 'css') {
    for (const element of selectElements(finder.selector, document, null, 100)) {
      const { attribute } = finder;
      const text =
        attribute === undefined ? textOf(document, element) : attributeInAnyCase(element, attribute);
      if (text === undefined) continue;
      texts.push(text);
      add(valueIn(text));
    }
  } else {
    for (const script of elementsByTag(document, 'script')) {
      const text = textOf(document, script);
      if (finder.isStream) texts.push(text);
      add(afterPattern(finder.pattern, text));
    }
  }
  const streamed = readServerComponents(texts);
  if (streamed !== undefined) data.values.push(streamed);
  return data;
}
