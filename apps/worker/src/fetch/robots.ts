import { AppError } from '@gleaner/contracts';
import robotsModule from 'robots-parser';
import type { RawRequest, RawResponse } from './fetch-types.ts';

export interface RobotsWait {
  deadlineAt: number;
  signal: AbortSignal;
}

export interface Robots {
  /** Throws `fetch_failed` when the site's robots.txt keeps us from this URL. */
  require(url: URL, wait: RobotsWait): Promise<void>;
}

export interface RobotsOptions {
  fetchRaw(request: RawRequest): Promise<RawResponse>;
  /** The product name that robots.txt files are asked for. */
  product: string;
  now?: () => number;
}

const MAX_SITES = 5_000;
const KEEP_MS = 3_600_000;
const KEEP_FAILURE_MS = 60_000;
/** RFC 9309 asks crawlers to read at least 500 KiB. */
const MAX_BYTES = 512 * 1024;
const FETCH_LIMIT_MS = 20_000;

interface Robot {
  isAllowed(url: string, product?: string): boolean | undefined;
}

/** The package is CommonJS whose export is the function; its types describe another module system. */
const asParser = (module: unknown): ((url: string, text: string) => Robot) =>
  module as (url: string, text: string) => Robot;

type Rules = Robot | 'all' | 'unreachable';

interface Site {
  expiresAt: number;
  rules: Promise<Rules>;
}

const refused = (detail: string, isRetryable: boolean): AppError =>
  new AppError('fetch_failed', {
    detail,
    retryable: isRetryable,
    hint: 'respectRobots is set for this request.',
  });

/** robots.txt as RFC 9309 reads it: 4xx means no rules, an unreachable file means no permission. */
export const createRobots = ({ fetchRaw, product, now = Date.now }: RobotsOptions): Robots => {
  const sites = new Map<string, Site>();

  const load = async (origin: string): Promise<Rules> => {
    const url = `${origin}/robots.txt`;
    try {
      // Of no single request: others wait for the same file.
      const answer = await fetchRaw({ url, deadlineAt: now() + FETCH_LIMIT_MS, maxBytes: MAX_BYTES });
      if (answer.status >= 500 || answer.status === 429) return 'unreachable';
      if (answer.status >= 400) return 'all';
      return asParser(robotsModule)(url, Buffer.from(answer.body).toString('utf8'));
    } catch (error) {
      if (error instanceof AppError) return 'unreachable';
      throw error;
    }
  };

  const rulesOf = (origin: string): Promise<Rules> => {
    const known = sites.get(origin);
    if (known !== undefined && known.expiresAt > now()) return known.rules;
    if (sites.size >= MAX_SITES) sites.delete(sites.keys().next().value ?? '');
    const site: Site = { expiresAt: now() + KEEP_MS, rules: load(origin) };
    sites.set(origin, site);
    void site.rules.then(
      (rules) => {
        if (rules === 'unreachable') site.expiresAt = now() + KEEP_FAILURE_MS;
      },
      () => sites.delete(origin),
    );
    return site.rules;
  };

  return {
    require: async (url, wait) => {
      const rules = await waitFor(rulesOf(url.origin), wait);
      if (rules === 'all') return;
      if (rules === 'unreachable') throw refused('robots.txt of the site could not be read', true);
      if (rules.isAllowed(url.href, product) === false) {
        throw refused(`robots.txt of the site does not allow ${product} to fetch this page`, false);
      }
    },
  };
};

const waitFor = <Result>(work: Promise<Result>, { deadlineAt, signal }: RobotsWait): Promise<Result> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new AppError('fetch_timed_out', { detail: 'robots.txt took too long' })),
      Math.max(0, deadlineAt - Date.now()),
    );
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
