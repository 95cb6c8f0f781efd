/** The robots.txt rules of a site for one crawler. */
export interface RobotsRules {
  /** Whether the URL may be fetched; `unknown` when finding out would take too long. */
  decide(url: URL): 'allowed' | 'refused' | 'unknown';
  /** The pause between pages that the site asks for (`Crawl-delay`). */
  readonly crawlDelaySeconds: number | undefined;
  /** Approximate size in memory, in characters. */
  readonly size: number;
}

/** The overhead of one rule in memory. */
const RULE_SIZE = 100;
/** Limit on pattern characters × path characters: about a tenth of a second of matching. */
const MAX_STEPS = 50_000_000;

type Key = 'agent' | 'allow' | 'disallow' | 'delay';

/** The keys with the misspellings that Google's parser accepts. */
const KEYS: readonly (readonly [RegExp, Key])[] = [
  [/^user[- ]?agent/i, 'agent'],
  [/^allow/i, 'allow'],
  [/^(?:diss?all?ow|diasllow)/i, 'disallow'],
  [/^crawl[- ]?delay/i, 'delay'],
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

/** What the groups of a file say to one crawler. */
interface Group {
  /** Without duplicates, each with whether it allows. */
  patterns: Map<string, boolean>;
  delaySeconds: number | undefined;
}

function addPattern({ patterns }: Group, pattern: string, allows: boolean): void {
  // Of the same pattern, the rule that allows wins.
  patterns.set(pattern, allows || patterns.get(pattern) === true);
}

/** The longest of several pauses counts; what is not a number of seconds is ignored. */
function addDelay(group: Group, value: string): void {
  if (!/^\d+(?:\.\d*)?$/.test(value)) return;
  group.delaySeconds = Math.max(group.delaySeconds ?? 0, Number(value));
}

/** The groups that name the crawler as one, else those for all crawlers. */
function groupFor(text: string, product: string): Group {
  const own: Group = { patterns: new Map(), delaySeconds: undefined };
  const common: Group = { patterns: new Map(), delaySeconds: undefined };
  const name = product.toLowerCase();
  let isNamed = false;
  let [isOwn, isCommon, isInRules] = [false, false, false];
  const addressed = (): Group[] => [...(isOwn ? [own] : []), ...(isCommon ? [common] : [])];
  for (const [key, value] of linesOf(text)) {
    if (key === 'agent') {
      if (isInRules) [isOwn, isCommon, isInRules] = [false, false, false];
      isOwn ||= /^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === name;
      isCommon ||= /^\*(?:\s|$)/.test(value);
      isNamed ||= isOwn;
      continue;
    }
    if (key === 'delay') {
      // It ends no list of names, as other lines than rules don't.
      for (const group of addressed()) addDelay(group, value);
      continue;
    }
    isInRules = true;
    if (value === '') continue;
    const pattern = escape(value);
    for (const group of addressed()) addPattern(group, pattern, key === 'allow');
    // Google's own rule: who allows a folder's index.html allows the folder.
    const folder = key === 'allow' ? /^(.*\/)index\.htm[^/]*$/.exec(pattern)?.[1] : undefined;
    if (folder === undefined) continue;
    for (const group of addressed()) addPattern(group, `${folder}$`, true);
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
  const { patterns, delaySeconds } = groupFor(text, product);
  const rules = [...patterns].toSorted(
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
    crawlDelaySeconds: delaySeconds,
    size: lengthOf(rules) + RULE_SIZE * rules.length,
  };
}
