import { AppError } from '@gleaner/contracts';
import type { RawRequest, RawResponse } from './fetch-types.ts';
import { readRobots, type RobotsRules } from './robots-rules.ts';

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
/** Of all rules together: thousands of sites may have half a megabyte each. */
const MAX_RULES_SIZE = 64 * 1024 * 1024;
const KEEP_MS = 3_600_000;
const KEEP_FAILURE_MS = 60_000;
/** RFC 9309 asks crawlers to read at least 500 KiB. */
const MAX_BYTES = 512 * 1024;
const FETCH_LIMIT_MS = 20_000;

/** `Error`: why the file could not be read. */
type Rules = RobotsRules | 'all' | AppError;

interface Site {
  expiresAt: number;
  rules: Promise<Rules>;
  size: number;
}

function refused(detail: string, isRetryable: boolean): AppError {
  return new AppError('fetch_failed', {
    detail,
    retryable: isRetryable,
    hint: 'respectRobots is set for this request.',
  });
}

/** robots.txt as RFC 9309 reads it: 4xx means no rules, an unreachable file means no permission. */
export function createRobots({ fetchRaw, product, now = Date.now }: RobotsOptions): Robots {
  const sites = new Map<string, Site>();
  let size = 0;

  const load = async (origin: string): Promise<Rules> => {
    const url = `${origin}/robots.txt`;
    try {
      // Of no single request: others wait for the same file.
      const answer = await fetchRaw({ url, deadlineAt: now() + FETCH_LIMIT_MS, maxBytes: MAX_BYTES });
      if (answer.status >= 500 || answer.status === 429) {
        return refused(`robots.txt of the site came with status ${answer.status}`, true);
      }
      if (answer.status >= 400) return 'all';
      return readRobots(url, Buffer.from(answer.body).toString('utf8'), product);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { detail = error.message } = error.options;
      return refused(`robots.txt of the site could not be read: ${detail}`, error.retryable);
    }
  };

  const forget = (origin: string): void => {
    size -= sites.get(origin)?.size ?? 0;
    sites.delete(origin);
  };

  const forgetOldest = (): void => forget(sites.keys().next().value ?? '');

  const rulesOf = (origin: string): Promise<Rules> => {
    const known = sites.get(origin);
    if (known !== undefined && known.expiresAt > now()) return known.rules;
    forget(origin);
    if (sites.size >= MAX_SITES) forgetOldest();
    const site: Site = { expiresAt: now() + KEEP_MS, rules: load(origin), size: 0 };
    sites.set(origin, site);
    void site.rules.then(
      (rules) => {
        if (sites.get(origin) !== site || rules === 'all') return;
        if (rules instanceof AppError) {
          site.expiresAt = now() + KEEP_FAILURE_MS;
          return;
        }
        site.size = rules.size;
        size += rules.size;
        while (size > MAX_RULES_SIZE) forgetOldest();
      },
      () => {
        if (sites.get(origin) === site) forget(origin);
      },
    );
    return site.rules;
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
