import type { CrawlRules, Verdict } from './compile-crawl.ts';

/** How an address was found: a link, a link to the next page, an entry of a sitemap, of a feed, a sitemap of a sitemap. */
export type LinkKind = 'l' | 'n' | 's' | 'f' | 'i';

const SIGNS: Readonly<Record<Verdict, string>> = { ok: '+', excluded: 'x', out_of_scope: 'o' };

/**
 * A found address as a line for the database: `<kind><verdict><route><url>`. The route has two digits, or is `--`
 * without one. Normalised addresses contain no line ends and no tabs.
 */
export function linkLine(kind: LinkKind, url: string, rules: CrawlRules): string {
  const verdict = rules.judge(url);
  const route = verdict === 'ok' ? rules.routeOf(url) : null;
  return `${kind}${SIGNS[verdict]}${route === null ? '--' : String(route).padStart(2, '0')}${url}`;
}
