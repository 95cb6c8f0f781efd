/** A link of a model site, as the lines of engine.fetched_pages have it. */
export interface ModelLink {
  kind: 'l' | 'n' | 's' | 'i';
  verdict: '+' | 'x' | 'o';
  url: string;
}

/** What a fetch of a model site finds; it depends on the URL alone. */
export interface ModelPage {
  fails: boolean;
  verdict?: 'robots' | 'out_of_scope';
  /** The address after redirects and a canonical. */
  identity: string;
  links: ModelLink[];
}

export interface ModelSite {
  starts: string[];
  /** `sitemap URL`; empty: a crawl without sources. */
  sources: string[];
  fetch(url: string): ModelPage;
}

export interface ModelLimits {
  pages: number;
  tries: number;
  entries: number;
  depth: number;
}

/** A repeatable source of numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function at(id: number | string): string {
  return `http://s.test/p/${id}`;
}

/** A random site: cycles, redirects, variants, chains of next pages, failures, a calendar without end, sitemaps. */
export function makeSite(seed: number): ModelSite {
  const random = createRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  const count = 10 + upTo(60);
  const chain = upTo(12);
  const hasCalendar = random() < 0.3;
  const link = (url: string, kind: ModelLink['kind'] = 'l'): ModelLink => {
    const other = random();
    if (other < 0.03) return { kind: 'l', verdict: 'x', url: `${url}?excluded` };
    if (other < 0.06) return { kind: 'l', verdict: 'o', url: `http://o.test/${upTo(50)}` };
    return { kind, verdict: '+', url: random() < 0.1 ? `${url}?v=${upTo(3)}` : url };
  };
  const pages = Array.from({ length: count }, (_, id) => {
    const links = Array.from({ length: random() < 0.1 ? 30 : upTo(6) }, () =>
      link(
        at(random() < 0.5 ? Math.min(count - 1, id + 1 + upTo(8)) : upTo(count)),
        random() < 0.05 ? 'n' : 'l',
      ),
    );
    const redirect = random() < 0.08 ? upTo(count) : undefined;
    const fate = random();
    const verdict = fate < 0.02 ? 'robots' : fate < 0.04 ? 'out_of_scope' : undefined;
    return { links, redirect, fails: random() < 0.06, verdict } as const;
  });
  const chained = Array.from({ length: chain }, () => Array.from({ length: 3 }, () => link(at(upTo(count)))));
  const sitemaps = new Map<string, ModelLink[]>();
  const sources = random() < 0.5 ? ['robots http://s.test/robots.txt'] : [];
  const names = Array.from({ length: 1 + upTo(3) }, (_, place) => `sitemap http://s.test/s${place}`);
  sitemaps.set(
    'robots http://s.test/robots.txt',
    names.map((url) => ({ kind: 'i', verdict: '+', url })),
  );
  for (const [place, name] of names.entries()) {
    const own = Array.from({ length: upTo(8) }, () => ({ ...link(at(upTo(count))), kind: 's' as const }));
    sitemaps.set(
      name,
      place === 0 ? [...own, { kind: 'i', verdict: '+', url: 'sitemap http://s.test/s9' }] : own,
    );
  }
  const once = (links: readonly ModelLink[]): ModelLink[] => [
    ...new Map(links.map((one) => [one.url, one])).values(),
  ];
  return {
    starts: [at(0), at(1)],
    sources,
    fetch: (url) => {
      if (!url.startsWith('http')) {
        const links = sitemaps.get(url);
        return { fails: links === undefined, identity: url, links: once(links ?? []) };
      }
      const [, kind = '', id = ''] = /\/p\/([a-z]*)(\d+)/.exec(url) ?? [];
      if (kind === 'cal')
        return { fails: false, identity: url, links: once([link0(`cal${Number(id) + 1}`), link0('0')]) };
      if (kind === 'next') {
        const next =
          Number(id) + 1 < chain ? [{ ...link0(`next${Number(id) + 1}`), kind: 'n' as const }] : [];
        return { fails: false, identity: url, links: once([...(chained[Number(id)] ?? []), ...next]) };
      }
      let last = Number(id);
      let hops = 0;
      while (pages[last]?.redirect !== undefined && hops < 4) {
        last = pages[last]?.redirect ?? 0;
        hops += 1;
      }
      const page = pages[last];
      if (!page || hops === 4) return { fails: true, identity: url, links: [] };
      const extra = [
        ...(last === 0 && hasCalendar ? [link0('cal1')] : []),
        ...(last === 1 && chain > 0 ? [{ ...link0('next0'), kind: 'n' as const }] : []),
      ];
      if (page.fails) return { fails: true, identity: url, links: [] };
      if (page.verdict !== undefined) return { fails: true, verdict: page.verdict, identity: url, links: [] };
      return { fails: false, identity: at(last), links: once([...page.links, ...extra]) };
    },
  };
}

function link0(id: string): ModelLink {
  return { kind: 'l', verdict: '+', url: at(id) };
}

interface Entry {
  url: string;
  depth: number;
  number: number;
  outcome: string | undefined;
}

/**
 * What a crawl finds that fetches one page after another: addresses with outcomes, in order, and how many pages have
 * links beyond the depth to addresses that it does not know by then.
 */
export function crawlInOrder(
  site: ModelSite,
  limits: ModelLimits,
): { retired: { url: string; outcome: string }[]; unfollowed: number } {
  const entries = new Map<string, Entry>();
  const taken = new Set<string>();
  const retired: Entry[] = [];
  let [numbers, pageEntries, aside, counted, tries, unfollowed] = [0, 0, 0, 0, 0, 0];
  const add = (url: string, depth: number, { kind, verdict }: Pick<ModelLink, 'kind' | 'verdict'>): void => {
    if (depth > limits.depth) return;
    const known = entries.get(url);
    if (known && (known.outcome !== undefined || known.depth <= depth)) return;
    if (!known) {
      if (kind !== 'i' && verdict !== '+' && aside >= limits.entries) return;
      const most = kind === 'n' ? 2 * limits.entries : limits.entries;
      if (kind !== 'i' && verdict === '+' && pageEntries >= most) return;
      if (kind !== 'i')
        if (verdict === '+') pageEntries += 1;
        else aside += 1;
    }
    const entry = known ?? { url, depth, number: 0, outcome: verdict === '+' ? undefined : verdict };
    entry.depth = depth;
    entry.number = numbers;
    numbers += 1;
    entries.set(url, entry);
  };
  for (const url of site.sources) add(url, -1, { kind: 'i', verdict: '+' });
  for (const url of site.starts) add(url, 0, { kind: 'l', verdict: '+' });
  const next = (): Entry | undefined =>
    [...entries.values()]
      .filter(({ outcome }) => outcome === undefined)
      .toSorted((a, b) => a.depth - b.depth || a.number - b.number)[0];
  for (let entry = next(); entry; entry = next()) {
    const isPage = entry.depth >= 0;
    if (isPage && (counted >= limits.pages || tries >= limits.tries)) break;
    if (isPage) tries += 1;
    retired.push(entry);
    if (taken.has(entry.url)) {
      entry.outcome = 'd';
      continue;
    }
    const page = site.fetch(entry.url);
    if (page.verdict !== undefined) entry.outcome = page.verdict === 'robots' ? 'r' : 'o';
    else if (taken.has(page.identity)) entry.outcome = 'd';
    else {
      entry.outcome = page.fails ? 'e' : 'f';
      if (isPage) counted += 1;
      // An address that stands for another page is known, and no link to it is numbered.
      if (!entries.has(page.identity))
        entries.set(page.identity, { url: page.identity, depth: entry.depth, number: -1, outcome: 'a' });
      taken.add(page.identity);
      if (page.fails) continue;
      const deeper = isPage ? entry.depth + 1 : 1;
      const isBeyond = ({ kind, verdict, url }: ModelLink): boolean =>
        deeper > limits.depth && kind === 'l' && verdict === '+' && !entries.has(url);
      if (page.links.some(isBeyond)) unfollowed += 1;
      for (const link of page.links) {
        add(link.url, link.kind === 'n' || link.kind === 'i' ? entry.depth : deeper, link);
      }
    }
  }
  return { retired: retired.map(({ url, outcome = '' }) => ({ url, outcome })), unfollowed };
}
