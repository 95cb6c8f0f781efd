import robotsModule from 'robots-parser';

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

/** The lines that form a group of rules. `crawl-delay` is not applied. */
const RULES = new Set(['allow', 'disallow', 'crawl-delay']);

interface Robot {
  isAllowed(url: string, product?: string): boolean | undefined;
}

/** The package is CommonJS and exports the function itself; its types describe another module system. */
function asParser(module: unknown): (url: string, text: string) => Robot {
  return module as (url: string, text: string) => Robot;
}

function nameOf(userAgent: string): string {
  return (userAgent.split('/')[0] ?? '').trim().toLowerCase();
}

/**
 * The rules for one crawler without duplicates: those of the groups that name it, else those for all crawlers. The
 * parser stores each rule once per `User-agent` line, so half a megabyte can become billions of rules.
 */
function rulesFor(text: string, product: string): string[] {
  const own = new Set<string>();
  const common = new Set<string>();
  const name = nameOf(product);
  let isNamed = false;
  let isOwn = false;
  let isCommon = false;
  let isInAgents = false;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.split('#', 1)[0] ?? '';
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (key === '') continue;
    const value = line.slice(colon + 1).trim();
    if (key === 'user-agent') {
      if (!isInAgents) [isOwn, isCommon] = [false, false];
      isOwn ||= nameOf(value) === name;
      isCommon ||= nameOf(value) === '*';
    }
    isInAgents = key === 'user-agent';
    if (RULES.has(key)) isNamed ||= isOwn;
    if ((key !== 'allow' && key !== 'disallow') || value === '') continue;
    if (isOwn) own.add(`${key}: ${value}`);
    if (isCommon) common.add(`${key}: ${value}`);
  }
  return [...(isNamed ? own : common)];
}

/** Reads a robots.txt for one crawler. */
export function readRobots(url: string, text: string, product: string): RobotsRules {
  const rules = rulesFor(text, product);
  const robot = asParser(robotsModule)(url, ['User-agent: *', ...rules].join('\n'));
  const lengthOf = (some: readonly string[]): number => some.reduce((sum, { length }) => sum + length, 0);
  // A pattern with a wildcard is compared at every position of a path, others only at its beginning.
  const wildcards = lengthOf(rules.filter((rule) => rule.includes('*')));
  return {
    decide: (page) => {
      if (wildcards * (page.pathname.length + page.search.length) > MAX_STEPS) return 'unknown';
      return robot.isAllowed(page.href) === false ? 'refused' : 'allowed';
    },
    size: lengthOf(rules) + RULE_SIZE * rules.length,
  };
}
