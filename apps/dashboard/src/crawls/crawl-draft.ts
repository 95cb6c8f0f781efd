import type { CallInput, CallOutput } from '../api/call.ts';
import type { CrawlScope } from '@gleaner/contracts/values';
import { linesOf, plural } from '../format/format.ts';

/** The rules of a crawl, as the service shows them and as it takes them. */
export type CrawlRules = CallOutput<'getCrawl'>['crawl'];
type GivenRules = NonNullable<CallInput<'createCrawl'>['body']['crawl']>;

/** The rules of a new crawl as a form holds them: patterns, selectors and parameters one a line. */
export const NEW_RULES = {
  scope: 'host' as CrawlScope,
  include: '',
  exclude: '',
  next: '',
  /** Empty: the service's own. */
  depth: '' as number | '',
  /** Which part of an address behind its `?` makes no other page. */
  ignoring: 'nothing' as 'nothing' | 'all' | 'some',
  ignored: '',
  /** Where it learns of pages. */
  sources: 'links' as 'links' | 'sitemaps',
};

export type RulesDraft = typeof NEW_RULES;

/** The draft that these rules were. */
export function draftOfRules(rules: CrawlRules): RulesDraft {
  const { scope, include, exclude, next, depth, ignore_query: ignored, sources } = rules;
  return {
    scope,
    include: include.join('\n'),
    exclude: exclude.join('\n'),
    next: next.join('\n'),
    depth,
    ignoring: ignored === undefined ? 'nothing' : ignored === true ? 'all' : 'some',
    ignored: Array.isArray(ignored) ? ignored.join('\n') : '',
    sources: sources.links ? 'links' : 'sitemaps',
  };
}

/**
 * The rules for the service.
 * @param known those that the draft was made of: what the form doesn't show stays
 */
export function rulesOf(draft: RulesDraft, known?: CrawlRules): GivenRules {
  const ignored = { nothing: undefined, all: true as const, some: linesOf(draft.ignored) };
  return {
    ...known,
    scope: draft.scope,
    include: linesOf(draft.include),
    exclude: linesOf(draft.exclude),
    next: linesOf(draft.next),
    sources: { ...known?.sources, links: draft.sources === 'links' },
    depth: draft.depth === '' ? undefined : draft.depth,
    ignore_query: ignored[draft.ignoring],
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
