import { cutText } from '@gleaner/contracts/text';
import fontoxpath, { type FunctionNameResolver } from 'fontoxpath';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { ExpressionFault } from '@gleaner/html';
import { requireWithin, RESULT_LIMITS, spendReading } from '../limits.ts';

/** Linear-time versions of matches, replace and tokenize. fontoxpath's own versions can take exponential time. */
const REGEX_NAMESPACE = 'urn:gleaner:xpath-regex';
const FUNCTIONS_NAMESPACE = 'http://www.w3.org/2005/xpath-functions';

/** The cache is bounded because patterns may come from the page, a new one per call. */
const KEPT_PATTERNS = 200;
const PATTERN_LENGTH = 10_000;

const FLAGS = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
]);

/** Flag x: white space outside of classes is not part of the pattern (XPath functions 3.1, 5.6.2). */
function withoutSpace(text: string): string {
  let result = '';
  let isInClass = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      result += text.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (character === '[') isInClass = true;
    if (character === ']') isInClass = false;
    if (isInClass || !/[\t\n\r ]/.test(character)) result += character;
  }
  return result;
}

/** Flags of XPath: i, m, s, x, and q for a pattern that is plain text. */
function compile(text: string, flags: string): RE2JS {
  if (text.length > PATTERN_LENGTH) throw new ExpressionFault('FORX0002: the pattern is too long');
  let bits = 0;
  for (const flag of flags) {
    const bit = FLAGS.get(flag);
    if (bit === undefined && flag !== 'x' && flag !== 'q') {
      throw new ExpressionFault(`FORX0001: there is no flag ${flag}`);
    }
    bits |= bit ?? 0;
  }
  const isPlain = flags.includes('q');
  const source = flags.includes('x') && !isPlain ? withoutSpace(text) : text;
  try {
    return RE2JS.compile(isPlain ? RE2JS.quote(text) : RE2JS.translateRegExp(source), bits);
  } catch (error) {
    throw new ExpressionFault(`FORX0002: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function createPatterns() {
  const kept = new LRUCache<string, RE2JS>({ max: KEPT_PATTERNS });
  return (text: string, flags: string): RE2JS => {
    const key = `${flags}/${text}`;
    const pattern = kept.get(key) ?? compile(text, flags);
    kept.set(key, pattern);
    return pattern;
  };
}

function subjectOf(text: string | null): string {
  return cutText(text ?? '', RESULT_LIMITS.patternSubject);
}

function refuseEmpty(pattern: RE2JS): void {
  if (pattern.test('')) throw new ExpressionFault('FORX0003: the pattern matches the empty text');
}

/** The parts of a replacement: texts and group numbers. */
function replacementOf(text: string, groups: number, isPlain: boolean): (string | number)[] {
  if (isPlain) return [text];
  const parts: (string | number)[] = [];
  for (const [whole, escaped, digits, plain] of text.matchAll(/\\([\\$])|\$(\d+)|([^\\$]+)|[\\$]/g)) {
    if (plain !== undefined || escaped !== undefined) {
      parts.push(plain ?? escaped ?? '');
      continue;
    }
    if (digits === undefined) throw new ExpressionFault(`FORX0004: ${whole} in a replacement`);
    // The number takes as many digits as name an existing group; the rest is text, and a missing group is empty.
    let used = digits;
    while (used.length > 1 && Number(used) > groups) used = used.slice(0, -1);
    if (Number(used) <= groups) parts.push(Number(used));
    if (used.length < digits.length) parts.push(digits.slice(used.length));
  }
  return parts;
}

/** Calls `onMatch` for each match with the text since the previous one. Returns the text after the last match. */
function walk(
  pattern: RE2JS,
  text: string,
  onMatch: (before: string, group: (group: number) => string) => void,
): string {
  const matcher = pattern.matcher(subjectOf(text));
  let from = 0;
  while (matcher.find()) {
    onMatch(text.slice(from, matcher.start()), (group) => matcher.group(group) ?? '');
    from = matcher.end();
  }
  return text.slice(from);
}

function replace(pattern: RE2JS, text: string, replacement: readonly (string | number)[]): string {
  let result = '';
  const rest = walk(pattern, text, (before, group) => {
    const { length } = result;
    result += before;
    for (const part of replacement) result += typeof part === 'number' ? group(part) : part;
    requireWithin(0, result.length);
    spendReading(result.length - length);
  });
  return result + rest;
}

function tokenize(pattern: RE2JS, text: string): string[] {
  if (text === '') return [];
  const tokens: string[] = [];
  const rest = walk(pattern, text, (before) => {
    tokens.push(before);
    requireWithin(tokens.length, 0);
  });
  return [...tokens, rest];
}

/** fontoxpath's functions are global to the process, so this module registers them when it is loaded. @returns their names and arities */
function register(): ReadonlySet<string> {
  const patternOf = createPatterns();
  const names = new Set<string>();
  const define = <A extends unknown[]>(
    name: string,
    types: string[],
    result: string,
    run: (...args: A) => unknown,
  ): void => {
    names.add(`${name}/${types.length}`);
    fontoxpath.registerCustomXPathFunction(
      { namespaceURI: REGEX_NAMESPACE, localName: name },
      types,
      result,
      (_context: unknown, ...args: unknown[]) => run(...(args as A)),
    );
  };
  const matches = (text: string | null, pattern: string, flags = ''): boolean =>
    patternOf(pattern, flags).test(subjectOf(text));
  const replaceAll = (text: string | null, pattern: string, replacement: string, flags = ''): string => {
    const compiled = patternOf(pattern, flags);
    refuseEmpty(compiled);
    return replace(
      compiled,
      text ?? '',
      replacementOf(replacement, compiled.groupCount(), flags.includes('q')),
    );
  };
  const split = (text: string | null, pattern: string, flags = ''): string[] => {
    const compiled = patternOf(pattern, flags);
    refuseEmpty(compiled);
    return tokenize(compiled, text ?? '');
  };
  const text = 'xs:string?';
  const argument = 'xs:string';
  define('matches', [text, argument], 'xs:boolean', matches);
  define('matches', [text, argument, argument], 'xs:boolean', matches);
  define('replace', [text, argument, argument], 'xs:string', replaceAll);
  define('replace', [text, argument, argument, argument], 'xs:string', replaceAll);
  define('tokenize', [text, argument], 'xs:string*', split);
  define('tokenize', [text, argument, argument], 'xs:string*', split);
  const join = (items: readonly (string | number | boolean | Date)[], separator = ''): string => {
    const texts = items.map((item) => (item instanceof Date ? item.toISOString() : String(item)));
    const length = texts.reduce((total, part) => total + part.length, 0);
    spendReading(length + separator.length * texts.length);
    return texts.join(separator);
  };
  define('string-join', ['xs:anyAtomicType*'], 'xs:string', join);
  define('string-join', ['xs:anyAtomicType*', argument], 'xs:string', join);
  return names;
}

const ours = register();

/** Resolves functions with regular expressions to the ones above, and all others to fontoxpath. */
export const resolveFunction: FunctionNameResolver = ({ prefix, localName }, arity) => {
  if (prefix !== '' && prefix !== 'fn') {
    // fontoxpath looks the prefix up itself.
    return null as never;
  }
  const namespaceURI = ours.has(`${localName}/${arity}`) ? REGEX_NAMESPACE : FUNCTIONS_NAMESPACE;
  return { namespaceURI, localName };
};
