import { usesBrowser, wayName, type KeepPages, type ScrapeConfig, type Way } from '@gleaner/contracts';

/** What `runs.config` holds: the merged scrape_config, and how the run treats pages. */
export interface RunConfig extends ScrapeConfig {
  /** Absent: `failed`. */
  keepPages?: KeepPages | undefined;
  /** Names of values of the inputs that tasks keep, by the column that holds them. */
  carry?: Readonly<Record<string, string>> | undefined;
  /** `kept`: the tasks read pages that another run kept and fetch nothing. */
  pages?: 'kept' | undefined;
  /** With `escalate`: the ways of its pages, the cheapest first. A task begins at the first. */
  ways?: readonly Way[] | undefined;
  /** The lowest `WORK_LEVEL` of a worker that does this work correctly. Absent: any worker. */
  needs?: number | undefined;
}

/** The configuration with which a page is read by one of the run's ways. @param way index of `ways` */
export function inWay<T extends RunConfig>(config: T, way: number): T {
  const taken = config.ways?.[way];
  if (taken === undefined) return config;
  return { ...config, useBrowser: taken.useBrowser, proxy: taken.proxy };
}

/** How the pages of a run are fetched, as `selectFetching` reads it. */
export interface Fetching {
  useBrowser: boolean | null;
  proxy: string | null;
  ways: readonly Way[] | null;
  pages: RunConfig['pages'] | null;
}

/** The members of `config` that say how pages are fetched, as SQL. */
export const FETCHING = `jsonb_build_object('useBrowser', config -> 'useBrowser', 'proxy', config -> 'proxy', 'ways', config -> 'ways',
  'pages', config -> 'pages')`;

/** The name of the way by which a page was read; null when its run fetches none. @param way index of `ways`; null: the first */
export function fetchedByOf(fetching: Fetching, way: number | null): string | null {
  if (fetching.pages === 'kept') return null;
  const { ways, useBrowser, proxy } = fetching;
  const tier = proxy ?? undefined;
  const first = { useBrowser: usesBrowser({ useBrowser: useBrowser ?? false, proxy: tier }), proxy: tier };
  return wayName(ways?.[way ?? 0] ?? first);
}
