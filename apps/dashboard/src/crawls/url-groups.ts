import type { CallOutput } from '../api/call.ts';

export type CrawlUrl = CallOutput<'listCrawlUrls'>['urls'][number];

/** Addresses that look alike. */
export interface UrlGroup {
  /** As a route of a crawl matches them: `/product/*`. */
  pattern: string;
  count: number;
  fetched: number;
  failed: number;
  examples: string[];
}

interface Parsed {
  found: CrawlUrl;
  url: URL;
  segments: string[];
}

const MAX_EXAMPLES = 3;
/** So many files side by side are one kind of page; at the top of a site more, because most of its own pages stand there. */
const ALIKE = 3;
const ALIKE_AT_TOP = 10;

function addTo(groups: Map<string, UrlGroup>, pattern: string, { found }: Parsed): void {
  const group = groups.get(pattern) ?? { pattern, count: 0, fetched: 0, failed: 0, examples: [] };
  groups.set(pattern, group);
  group.count += 1;
  if (found.outcome === 'fetched' || found.outcome === 'unchanged') group.fetched += 1;
  if (found.outcome === 'failed') group.failed += 1;
  if (group.examples.length < MAX_EXAMPLES) group.examples.push(found.url);
}

/** Puts the pages below one folder into groups: files side by side, and the folders in it. */
function groupFolder(
  groups: Map<string, UrlGroup>,
  pages: readonly Parsed[],
  { prefix, depth }: { prefix: string; depth: number },
): void {
  const most = depth === 0 ? ALIKE_AT_TOP : ALIKE;
  const files = pages.filter(({ segments }) => segments.length <= depth + 1);
  const areAlike = new Set(files.map(({ segments }) => segments[depth])).size >= most;
  for (const page of files) {
    const isFolder = page.segments.length <= depth;
    const own = `${prefix}${isFolder ? '' : page.segments[depth]}${page.url.search === '' ? '' : '?*'}`;
    addTo(groups, areAlike && !isFolder ? `${prefix}*` : own, page);
  }
  const below = pages.filter(({ segments }) => segments.length > depth + 1);
  const folders = Map.groupBy(below, ({ segments }) => segments[depth] ?? '');
  if (folders.size >= ALIKE_AT_TOP)
    return groupFolder(groups, below, { prefix: `${prefix}*/`, depth: depth + 1 });
  for (const [name, inside] of folders)
    groupFolder(groups, inside, { prefix: `${prefix}${name}/`, depth: depth + 1 });
}

/** Groups addresses by their paths, the largest group first. With several hosts, patterns name theirs. */
export function groupUrls(urls: readonly CrawlUrl[]): UrlGroup[] {
  const parsed = urls.flatMap((found): Parsed[] => {
    const url = URL.parse(found.url);
    return url === null ? [] : [{ found, url, segments: url.pathname.split('/').filter(Boolean) }];
  });
  const hosts = Map.groupBy(parsed, ({ url }) => url.origin);
  const groups = new Map<string, UrlGroup>();
  for (const [origin, pages] of hosts)
    groupFolder(groups, pages, { prefix: hosts.size > 1 ? `${origin}/` : '/', depth: 0 });
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

interface Route {
  name: string;
  match: string;
  target: { type: 'parser'; parserId: string };
}

function literals(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}

/** A name for a route, of the pattern's words. */
function nameOf(pattern: string, taken: ReadonlySet<string>): string {
  const path = pattern.replace(/^https?:\/\/[^/]+/, '');
  const words = path.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name =
    words
      .join('_')
      .replace(/^[0-9_]+/, '')
      .slice(0, 40) || 'pages';
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(free)) return free;
  }
}

/** The routes of a crawl in which each pattern's pages are read by its parser; the narrower pattern comes first. */
export function routesOf(parsers: Readonly<Record<string, string | undefined>>): Route[] {
  const names = new Set<string>();
  return Object.entries(parsers)
    .toSorted(([one], [other]) => literals(other) - literals(one))
    .flatMap(([match, parserId]) => {
      if (parserId === undefined) return [];
      const name = nameOf(match, names);
      names.add(name);
      return [{ name, match, target: { type: 'parser', parserId } as const }];
    });
}
