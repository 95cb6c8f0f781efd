/** The robots.txt rules of a site for one crawler. */
export interface RobotsRules {
  /** Whether the URL may be fetched; `unknown` when finding out would take too long. */
  decide(url: URL): 'allowed' | 'refused' | 'unknown';
  /** Approximate size in memory, in characters. */
  readonly size: number;
}

/** The overhead of one rule in memory. */
const RULE_SIZE = 100;
/** Limit on pattern characters × path characters: about a tenth of a second of matching. */
const MAX_STEPS = 50_000_000;

type Key = 'agent' | 'allow' | 'disallow';

/** The keys with the misspellings that Google's parser accepts. */
const KEYS: readonly (readonly [RegExp, Key])[] = [
  [/^user[- ]?agent/i, 'agent'],
  [/^allow/i, 'allow'],
  [/^(?:diss?all?ow|diasllow)/i, 'disallow'],
];

/** A line is a key, a colon and a value. Google also reads `disallow /`, which has no colon. */
const LINE = /^([^:]*):(.*)$/;
const TWO_WORDS = /^(\S+)\s+(\S+)$/;

function* linesOf(text: string): Generator<[Key, string]> {
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const line = raw.split('#', 1)[0]?.trim() ?? '';
    const [, name = '', value = ''] = LINE.exec(line) ?? TWO_WORDS.exec(line) ?? [];
    const key = KEYS.find(([pattern]) => pattern.test(name.trim()))?.[1];
    if (key !== undefined) yield [key, value.trim()];
  }
}

/** Bytes beyond ASCII as percent escapes, which are in upper case, as in the path of a URL. */
function escape(pattern: string): string {
  return pattern
    .replaceAll(/[^\u0000-\u007F]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/**
 * The patterns for one crawler without duplicates, each with whether it allows: those of the groups that name the crawler,
 * else those for all crawlers.
 */
function rulesFor(text: string, product: string): Map<string, boolean> {
  const own = new Map<string, boolean>();
  const common = new Map<string, boolean>();
  const name = product.toLowerCase();
  let isNamed = false;
  let [isOwn, isCommon, isInRules] = [false, false, false];
  const add = (pattern: string, allows: boolean): void => {
    // Of the same pattern, the rule that allows wins.
    if (isOwn) own.set(pattern, allows || own.get(pattern) === true);
    if (isCommon) common.set(pattern, allows || common.get(pattern) === true);
  };
  for (const [key, value] of linesOf(text)) {
    if (key === 'agent') {
      if (isInRules) [isOwn, isCommon, isInRules] = [false, false, false];
      isOwn ||= /^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === name;
      isCommon ||= /^\*(?:\s|$)/.test(value);
      isNamed ||= isOwn;
      continue;
    }
    isInRules = true;
    if (value === '') continue;
    const pattern = escape(value);
    add(pattern, key === 'allow');
    // Google's own rule: who allows a folder's index.html allows the folder.
    const folder = key === 'allow' ? /^(.*\/)index\.htm[^/]*$/.exec(pattern)?.[1] : undefined;
    if (folder !== undefined) add(`${folder}$`, true);
  }
  return isNamed ? own : common;
}

/** Whether the pattern matches the beginning of the path: `*` is anything, `$` at the end is the path's end. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (last !== undefined) return path.length - last.length >= at && path.endsWith(last);
  return !isWhole || at === path.length;
}

/** Reads a robots.txt for one crawler, as RFC 9309 and Google's parser do: the longest pattern that matches decides. */
export function readRobots(text: string, product: string): RobotsRules {
  const rules = [...rulesFor(text, product)].toSorted(
    ([a, allows], [b, alsoAllows]) => b.length - a.length || Number(alsoAllows) - Number(allows),
  );
  const lengthOf = (some: readonly (readonly [string, boolean])[]): number =>
    some.reduce((sum, [pattern]) => sum + pattern.length, 0);
  // A pattern with a wildcard is compared at every position of a path, others only at its beginning.
  const wildcards = lengthOf(rules.filter(([pattern]) => pattern.includes('*')));
  return {
    decide: ({ pathname, search }) => {
      const path = escape(pathname + search);
      if (wildcards * path.length > MAX_STEPS) return 'unknown';
      const rule = rules.find(([pattern]) => matches(pattern, path));
      return rule === undefined || rule[1] ? 'allowed' : 'refused';
    },
    size: lengthOf(rules) + RULE_SIZE * rules.length,
  };
}
