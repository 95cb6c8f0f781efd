/** Whether a crawl may fetch a page. */
export type Verdict = 'ok' | 'excluded' | 'out_of_scope';

/** What decides the line of a normalised address. */
export interface LineRules {
  /** Whether the page may be fetched. A start page always may. */
  judge(url: string): Verdict;
  /** The index of the first route that fits; null without one. */
  routeOf(url: string): number | null;
}

/** How an address was found: a link, a link to the next page, an entry of a sitemap, of a feed, a sitemap of a sitemap. */
export type LinkKind = 'l' | 'n' | 's' | 'f' | 'i';

const SIGNS: Readonly<Record<Verdict, string>> = { ok: '+', excluded: 'x', out_of_scope: 'o' };

/**
 * A found address as a line for the database: `<kind><verdict><route><url>`, and with a date `<tab><date>`. The route has two
 * digits, or is `--` without one. Normalised addresses contain no line ends and no tabs. `readLinkLine` reads it here,
 * `engine.read_links` in SQL.
 */
export function linkLine(kind: LinkKind, url: string, rules?: LineRules, modified?: string): string {
  const verdict = rules?.judge(url) ?? 'ok';
  const route = verdict === 'ok' ? (rules?.routeOf(url) ?? null) : null;
  const date = modified === undefined ? '' : `\t${modified}`;
  return `${kind}${SIGNS[verdict]}${route === null ? '--' : String(route).padStart(2, '0')}${url}${date}`;
}

/** The kind (a `LinkKind`), address and date of a line of `linkLine`. */
export function readLinkLine(line: string): { kind: string; url: string; modified: string | undefined } {
  const tab = line.indexOf('\t');
  const [url, modified] = tab === -1 ? [line.slice(4)] : [line.slice(4, tab), line.slice(tab + 1)];
  return { kind: line.charAt(0), url: url ?? '', modified };
}
