import { expect, it } from 'vitest';
import { draftOfRules, NEW_RULES, rulesOf, rulesWords } from './crawl-draft.ts';

it('gives back the rules that a draft was made of, with those that no form shows', () => {
  const rules = {
    scope: 'site' as const,
    include: ['/p/*', '/q/*'],
    exclude: [],
    depth: 3,
    next: ['a.next'],
    sources: { links: true, sitemaps: false, feeds: ['https://a.example/feed'] },
    ignore_query: ['sort'],
    robots: 'warn' as const,
    nofollow: true,
  };
  const draft = draftOfRules(rules);
  expect(rulesOf(draft, rules)).toEqual(rules);
  expect(rulesWords(draft)).toBe('2 patterns to read, 1 next-page selector, depth 3, ignores queries');
  expect(rulesOf({ ...draft, depth: '', ignoring: 'nothing' }, rules).ignore_query).toBeUndefined();
  expect(rulesOf({ ...NEW_RULES, ignoring: 'all' }).ignore_query).toBe(true);
});
