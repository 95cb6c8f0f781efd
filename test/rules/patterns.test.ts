import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { analyse } from 'scslre';
import { describe, expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

/** Patterns whose time can grow faster than their text, and why their text is always short or our own. */
const ALLOWED: readonly (readonly [file: string, pattern: string, why: string])[] = [
  ['apps/api/src/http/read-parts.ts', String.raw`;\s*boundary=`, 'a header, cut by Node to 16 KB'],
  ['packages/client/src/transport.ts', String.raw`\/+$`, 'an address that the program’s owner configures'],
  [
    'packages/contracts/src/parser-schema/url-pattern.ts',
    '#.*$',
    'cuts at the first match, which is the end',
  ],
  ['packages/core/src/platform/trace/tracer.ts', String.raw`\/+$`, 'an address that the operator configures'],
  ['packages/db/src/plan-migration.ts', '^ALTER', 'our own migrations'],
  ['packages/db/src/plan-migration.ts', '--.*$', 'our own migrations'],
  ['packages/db/src/plan-migration.ts', '[(;]+$', 'our own migrations'],
  ['packages/embedded-postgres/src/index.ts', String.raw`\..*$`, 'a version of Postgres'],
  [
    'packages/extractors/src/sites/photoapp/calls.ts',
    '"csrf_token":"',
    'the counted part ends at a quote, before the next start',
  ],
  [
    'packages/extractors/src/content/author.ts',
    String.raw`(?:\s|,)+(?:(?:on|am`,
    'cut to the length of a byline',
  ],
  ['packages/extractors/src/sites/read/html.ts', '<title', 'cut to 1,000 characters'],
  ['packages/extractors/src/sites/photoapp/meta-user.ts', String.raw`^(.*?)\s*\(@`, 'cut to 500 characters'],
  ['packages/learn/src/suggest/values/cut.ts', String.raw`([^\p{L}\p{N}\s]\s*|`, 'cut to 100 characters'],
  ['packages/extractors/src/values/number.ts', String.raw`^\s*\(\s*`, 'cut to 200 characters'],
  ['packages/extractors/src/values/number.ts', String.raw`\s*(?:\p{Sc}|`, 'cut to 200 characters'],
  ['packages/fetching/src/browser/browser-fleet.ts', String.raw`\d+(\.\d+)+`, 'the version of Chromium'],
  ['packages/fetching/src/browser/process-tree.ts', '^ *', 'a line of ps'],
  [
    'packages/html/src/css/attribute.ts',
    String.raw`^([^]*?)\s*(?<!\\)@`,
    'a selector, cut to 1,000 characters',
  ],
  ['packages/html/src/css/compile.ts', '"[^"]*"|', 'a selector, cut to 1,000 characters'],
];

/** Files that build patterns while they run, so that no rule reads them, and why that is safe. */
const BUILT: Readonly<Record<string, string>> = {
  'apps/api/src/http/read-parts.ts': 'our own names, on a header of a part, cut by the reader of parts',
  'apps/api/src/server.ts': 'the paths of the operation table',
  'packages/contracts/src/fetching/browser-actions.ts': 'names of keys',
  'packages/contracts/src/fetching/scrape-config.ts': 'names of proxy tiers',
  'packages/contracts/src/schedules/parse-schedule.ts': 'forms of a field of our own',
  'packages/extractors/src/content/byline-words.ts':
    'our own words, on the text of a byline; in the extraction thread',
  'packages/extractors/src/sites/read/html.ts': 'a tag’s name of our own; in the extraction thread',
  'packages/learn/src/suggest/values/cut.ts': 'shapes of cut texts; in the extraction thread',
  'packages/learn/src/suggest/choice/programs.ts': 'shapes of cut texts; in the extraction thread',
  'packages/extractors/src/values/date-format.ts':
    'fixed counts of digits and letters; in the extraction thread',
  'packages/extractors/src/values/amount.ts': 'signs of fractions; in the extraction thread',
  'packages/extractors/src/values/currencies.ts': 'names of currencies; in the extraction thread',
  'packages/extractors/src/values/quantities.ts':
    'our own words, on the text between two numbers; in the extraction thread',
  'packages/extractors/src/values/rating.ts':
    'fixed counts of digits and our own words; in the extraction thread',
  'packages/extractors/src/values/tables/day-halves.ts':
    'fixed counts of digits and our own words; in the extraction thread',
  'packages/extractors/src/values/other-days.ts':
    'our own words, on texts of at most 1,000 characters; in the extraction thread',
  'packages/extractors/src/values/ranges.ts':
    'fixed counts of digits and our own words, on texts of at most 1,000 characters; in the extraction thread',
  'packages/extractors/src/values/relative-rest.ts':
    'our own words, on six characters; in the extraction thread',
  'packages/extractors/src/values/tables/left-times.ts':
    'our own words, on 40 characters beside a date; in the extraction thread',
  'packages/extractors/src/values/tables/zone-words.ts':
    'our own words, on 120 characters around a time; in the extraction thread',
  'packages/extractors/src/values/zones.ts':
    'fixed counts of digits, on the 60 characters after a date; in the extraction thread',
  'packages/extractors/src/values/written-date.ts':
    'names of months, on texts of at most 1,000 characters; in the extraction thread',
  'packages/fetching/src/http/refresh.ts': 'names of attributes, on tags of the first 64 KB',
  'packages/fetching/src/memory-admission.ts': 'our own names, on files of the kernel',
  'packages/queue/src/redis.ts': 'our own names, on what Redis says of itself',
};

/** A count this large costs as much as a second pass when the pattern can start anywhere. */
const LARGE_COUNT = /\{(?:\d+,)?\d{3,}\}/;

interface Found {
  file: string;
  line: number;
  source: string;
  flags: string;
}

function isPattern(callee: object): boolean {
  return 'name' in callee && callee.name === 'RegExp';
}

function patternsIn(file: string): { literal: Found[]; isBuilt: boolean } {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Found[] = [];
  let isBuilt = false;
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return;
      const { pattern: source, flags } = node.regex;
      found.push({ file, line: text.slice(0, node.start).split('\n').length, source, flags });
    },
    NewExpression: ({ callee }) => {
      isBuilt ||= isPattern(callee);
    },
    CallExpression: ({ callee }) => {
      isBuilt ||= isPattern(callee);
    },
  }).visit(parseSync(file, text).program);
  return { literal: found, isBuilt };
}

/** Why a pattern can take more than linear time; undefined when it can't. */
function whySlow({ source, flags }: Pick<Found, 'source' | 'flags'>): string | undefined {
  const [report] = analyse({ source, flags: flags.replace('v', 'u') }).reports;
  if (report !== undefined) return report.type;
  return !source.startsWith('^') && LARGE_COUNT.test(source) ? 'a large count' : undefined;
}

const SERVICE = /^(packages\/[^/]+|apps\/(?:api|worker|scheduler))\/src\/.*\.ts$/;
const NOT_RUN = /\.(test|d)\.ts$|\/testing\//;

describe('regular expressions of the service', () => {
  const files = listFiles().filter((file) => SERVICE.test(file) && !NOT_RUN.test(file));
  const found = files.map((file) => ({ file, ...patternsIn(file) }));
  const patterns = found.flatMap(({ literal }) => literal);
  const slow = patterns.flatMap((pattern) => {
    const why = whySlow(pattern);
    return why === undefined ? [] : [{ ...pattern, why }];
  });
  const isAllowed = ({ file, source }: Found): boolean =>
    ALLOWED.some(([where, start]) => where === file && source.startsWith(start));

  it('take time linear in their text, or read a text that is short', () => {
    expect(patterns.length).toBeGreaterThan(500);
    expect(
      slow.filter((one) => !isAllowed(one)).map(({ file, line, why }) => `${file}:${line} ${why}`),
    ).toEqual([]);
  });

  it('are not built from texts, except where the rule says why', () => {
    const built = found.filter(({ isBuilt }) => isBuilt).map(({ file }) => file);
    expect(built.sort()).toEqual(Object.keys(BUILT).sort());
  });

  it('has no exception that is out of date', () => {
    const unused = ALLOWED.filter(
      ([file, start]) => !slow.some((one) => one.file === file && one.source.startsWith(start)),
    );
    expect(unused).toEqual([]);
  });

  it.each([
    [String.raw`\s+$`, ''],
    [String.raw`(a|a)*b`, ''],
    [String.raw`^\s*\(?\s*x`, ''],
    [String.raw`<input\b[^>]{0,500}\btype`, 'i'],
  ])('finds that /%s/%s is slow', (source, flags) => {
    expect(whySlow({ source, flags })).toBeDefined();
  });
});
