import type { CallInput, CallOutput } from '../api/call.ts';
import type { CrawlScope } from '@gleaner/contracts/values';
import { linesOf, plural } from '../format/format.ts';

/** The rules of a crawl, as the service shows them and as it takes them. */
export type CrawlRules = CallOutput<'getCrawl'>['crawl'];
type GivenRules = NonNullable<CallInput<'createCrawl'>['body']['crawl']>;

/** The rules as a form holds them: patterns, selectors and parameters one a line. */
export interface RulesDraft {
  scope: CrawlScope;
  include: string;
  exclude: string;
  next: string;
  /** Empty: the service's own. */
  depth: number | '';
  /** Which part of an address behind its `?` makes no other page. */
  ignoring: 'nothing' | 'all' | 'some';
  ignored: string;
  links: boolean;
}

export const NEW_RULES: RulesDraft = {
  scope: 'host',
  include: '',
  exclude: '',
  next: '',
  depth: '',
  ignoring: 'nothing',
  ignored: '',
  links: true,
};

function textOf(lines: readonly string[] = []): string {
  return lines.join('\n');
}

/** The draft that these rules were. */
export function draftOfRules(rules: CrawlRules): RulesDraft {
  const { scope, include, exclude, next, depth, ignore_query: ignored, sources } = rules;
  return {
    scope,
    include: textOf(include),
    exclude: textOf(exclude),
    next: textOf(next),
    depth,
    ignoring: ignored === undefined ? 'nothing' : ignored === true ? 'all' : 'some',
    ignored: ignored === true ? '' : textOf(ignored),
    links: sources.links,
  };
}

/**
 * The rules for the service.
 * @param known those that the draft was made of: what the form doesn't show stays
 */
export function rulesOf(draft: RulesDraft, known?: CrawlRules): GivenRules {
  const { depth: _d, ignore_query: _i, ...rest }: Partial<CrawlRules> = known ?? {};
  return {
    ...rest,
    scope: draft.scope,
    include: linesOf(draft.include),
    exclude: linesOf(draft.exclude),
    next: linesOf(draft.next),
    sources: { ...rest.sources, links: draft.links },
    ...(draft.depth === '' ? {} : { depth: draft.depth }),
    ...(draft.ignoring === 'all' ? { ignore_query: true as const } : {}),
    ...(draft.ignoring === 'some' ? { ignore_query: linesOf(draft.ignored) } : {}),
  };
}

/** The narrower rules in a few words; empty when there are none. */
export function rulesWords({ include, exclude, next, depth, ignoring }: RulesDraft): string {
  const count = (text: string, one: string, many: string): string => {
    const { length } = linesOf(text);
    return length === 0 ? '' : plural(length, one, many);
  };
  const parts = [
    count(include, 'pattern to read', 'patterns to read'),
    count(exclude, 'pattern to leave out', 'patterns to leave out'),
    count(next, 'next-page selector', 'next-page selectors'),
    depth === '' ? '' : `depth ${depth}`,
    ignoring === 'nothing' ? '' : 'ignores queries',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
