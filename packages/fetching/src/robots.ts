import { AppError } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import type { RawRequest, RawResponse } from './fetch-types.ts';
import { readRobots, type RobotsRules } from './robots-rules.ts';

export interface RobotsWait {
  deadlineAt: number;
  signal: AbortSignal;
}

export interface Robots {
  /** Throws `fetch_failed` when the site's robots.txt disallows this URL. */
  require(url: URL, wait: RobotsWait): Promise<void>;
}

export interface RobotsOptions {
  fetchRaw(request: RawRequest): Promise<RawResponse>;
  /** The crawler name to look up in robots.txt. */
  product: string;
  now?: () => number;
}

const MAX_SITES = 5_000;
/** Limit on all cached rules together, in characters: a single site may have half a megabyte. */
const MAX_RULES_SIZE = 64 * 1024 * 1024;
const KEEP_MS = 3_600_000;
const KEEP_FAILURE_MS = 60_000;
/** RFC 9309 requires crawlers to read at least 500 KiB. */
const MAX_BYTES = 512 * 1024;
const FETCH_LIMIT_MS = 20_000;

/** `AppError`: why the file could not be read. */
type Rules = RobotsRules | 'all' | AppError;

function refused(detail: string, isRetryable: boolean): AppError {
  return new AppError('fetch_failed', {
    detail,
    retryable: isRetryable,
    hint: 'respectRobots is set for this request.',
  });
}

/** Applies robots.txt as in RFC 9309: a 4xx status means no rules, an unreachable file disallows everything. */
export function createRobots({ fetchRaw, product, now = Date.now }: RobotsOptions): Robots {
  const sites = new LRUCache<string, Promise<Rules>>({
    max: MAX_SITES,
    maxSize: MAX_RULES_SIZE,
    ttl: KEEP_MS,
    ttlResolution: 0,
    perf: { now },
  });

  const load = async (origin: string): Promise<Rules> => {
    const url = `${origin}/robots.txt`;
    try {
      // The file has its own deadline, because several requests may wait for it.
      const response = await fetchRaw({ url, deadlineAt: now() + FETCH_LIMIT_MS, maxBytes: MAX_BYTES });
      if (response.status >= 500 || response.status === 429) {
        return refused(`robots.txt of the site has status ${response.status}`, true);
      }
      if (response.status >= 400) return 'all';
      return readRobots(Buffer.from(response.body).toString('utf8'), product);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { detail = error.message } = error.options;
      return refused(`robots.txt of the site could not be read: ${detail}`, error.retryable);
    }
  };

  const rulesOf = (origin: string): Promise<Rules> => {
    const known = sites.get(origin);
    if (known !== undefined) return known;
    const loading = load(origin);
    sites.set(origin, loading, { size: 1 });
    void loading.then(
      (rules) => {
        if (sites.peek(origin) !== loading || rules === 'all') return;
        const isFailure = rules instanceof AppError;
        // lru-cache only updates the size for another value.
        sites.set(origin, Promise.resolve(rules), {
          size: isFailure ? 1 : Math.max(1, rules.size),
          ttl: isFailure ? KEEP_FAILURE_MS : sites.getRemainingTTL(origin),
        });
      },
      () => {
        if (sites.peek(origin) === loading) sites.delete(origin);
      },
    );
    return loading;
  };

  return {
    require: async (url, wait) => {
      const rules = await waitFor(rulesOf(url.origin), wait);
      if (rules === 'all') return;
      if (rules instanceof AppError) throw rules;
      const decision = rules.decide(url);
      if (decision === 'refused') {
        throw refused(`robots.txt of the site does not allow ${product} to fetch this page`, false);
      }
      if (decision === 'unknown') {
        throw refused('robots.txt of the site has too many rules for a URL of this length', false);
      }
    },
  };
}

function waitFor<Result>(work: Promise<Result>, { deadlineAt, signal }: RobotsWait): Promise<Result> {
  return new Promise((resolve, reject) => {
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
}
