import { AppError, type AppErrorOptions, type ErrorCode } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import type { RawRequest, RawResponse } from './fetch-types.ts';
import { RedirectLimitError } from './http/http-engine.ts';
import { readRobots, type RobotsRules } from './robots-rules.ts';

export interface RobotsWait {
  deadlineAt: number;
  signal: AbortSignal;
}

/** robots.txt keeps a page from being fetched. */
export class RobotsRefusedError extends AppError {
  /** Whether the file could not be read, rather than that it refuses the page. */
  readonly isUnreachable: boolean;

  constructor(code: ErrorCode, { isUnreachable, ...options }: AppErrorOptions & { isUnreachable: boolean }) {
    super(code, options);
    this.isUnreachable = isUnreachable;
  }
}

export type Robots = ReturnType<typeof createRobots>;

export interface RobotsOptions {
  fetchRaw(request: RawRequest): Promise<RawResponse>;
  /** The crawler name to look up in robots.txt. */
  product: string;
  /** What the request's author can change about a refusal. */
  hint: string;
  /** Whether a status of 400 or more means that all is refused for now, rather than that there are no rules. */
  isUnreachable(status: number): boolean;
  /** How long a file that could not be read is not asked for again. */
  keepFailureMs: number;
  now?: () => number;
}

const MAX_SITES = 5_000;
/** Limit on all cached rules together, in characters: a single site may have half a megabyte. */
const MAX_RULES_SIZE = 64 * 1024 * 1024;
const KEEP_MS = 3_600_000;
/** RFC 9309 requires crawlers to read at least 500 KiB. */
const MAX_BYTES = 512 * 1024;
const FETCH_LIMIT_MS = 20_000;

/** `RobotsRefusedError`: why the file could not be read. */
type Rules = RobotsRules | 'all' | RobotsRefusedError;

/** Reads the robots.txt of an origin. @throws what is no AppError */
async function loadRules(
  origin: string,
  { fetchRaw, product, hint, isUnreachable, now = Date.now }: RobotsOptions,
): Promise<Rules> {
  const unreachable = (detail: string, retryable: boolean): RobotsRefusedError =>
    new RobotsRefusedError('fetch_failed', { detail, retryable, hint, isUnreachable: true });
  try {
    const response = await fetchRaw({
      url: `${origin}/robots.txt`,
      // The file has its own deadline, because several requests may wait for it.
      deadlineAt: now() + FETCH_LIMIT_MS,
      maxBytes: MAX_BYTES,
    });
    if (isUnreachable(response.status))
      return unreachable(`robots.txt of the site has status ${response.status}`, true);
    if (response.status >= 400) return 'all';
    return readRobots(Buffer.from(response.body).toString('utf8'), product);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // RFC 9309: a file behind too many redirects counts as none.
    if (error instanceof RedirectLimitError) return 'all';
    const { detail = error.message } = error.options;
    return unreachable(`robots.txt of the site could not be read: ${detail}`, error.retryable);
  }
}

/** Keeps the rules of sites, and reads each robots.txt once for all who ask at the same time. */
function createRulesCache(options: RobotsOptions): (origin: string) => Promise<Rules> {
  const sites = new LRUCache<string, Promise<Rules>>({
    max: MAX_SITES,
    maxSize: MAX_RULES_SIZE,
    ttl: KEEP_MS,
    ttlResolution: 0,
    perf: { now: options.now ?? Date.now },
  });
  return (origin) => {
    const known = sites.get(origin);
    if (known !== undefined) return known;
    const loading = loadRules(origin, options);
    sites.set(origin, loading, { size: 1 });
    void loading.then(
      (rules) => {
        if (sites.peek(origin) !== loading || rules === 'all') return;
        const isFailure = rules instanceof AppError;
        // lru-cache only updates the size for another value.
        sites.set(origin, Promise.resolve(rules), {
          size: isFailure ? 1 : Math.max(1, rules.size),
          ttl: isFailure ? options.keepFailureMs : sites.getRemainingTTL(origin),
        });
      },
      () => {
        if (sites.peek(origin) === loading) sites.delete(origin);
      },
    );
    return loading;
  };
}

/** Applies robots.txt as in RFC 9309: a 4xx status means no rules, an unreachable file disallows everything. */
export function createRobots(options: RobotsOptions) {
  const { product, hint } = options;
  const rulesOf = createRulesCache(options);
  const refuse = (detail: string): RobotsRefusedError =>
    new RobotsRefusedError('fetch_failed', { detail, retryable: false, hint, isUnreachable: false });
  const refusalOf = (rules: RobotsRules, url: URL): RobotsRefusedError | undefined => {
    const decision = rules.decide(url);
    if (decision === 'allowed') return undefined;
    return decision === 'refused'
      ? refuse(`robots.txt of the site does not allow ${product} to fetch this page`)
      : refuse('robots.txt of the site has too many rules for a URL of this length');
  };
  return {
    /**
     * Whether the site refuses the page, and the pause between pages that it asks for.
     * @throws RobotsRefusedError only when the caller's time ends first
     */
    ask: async (
      url: URL,
      wait: RobotsWait,
    ): Promise<{ refusal: RobotsRefusedError | undefined; crawlDelaySeconds: number }> => {
      const rules = await waitFor(rulesOf(url.origin), wait);
      if (rules === 'all') return { refusal: undefined, crawlDelaySeconds: 0 };
      if (rules instanceof AppError) return { refusal: rules, crawlDelaySeconds: 0 };
      return { refusal: refusalOf(rules, url), crawlDelaySeconds: rules.crawlDelaySeconds ?? 0 };
    },
  };
}

/** Applies `respectRobots` of a request. */
export function createScrapeRobots(fetchRaw: RobotsOptions['fetchRaw']): Robots {
  return createRobots({
    fetchRaw,
    product: 'Gleaner',
    hint: 'respectRobots is set for this request.',
    isUnreachable: (status) => status >= 500 || status === 429,
    keepFailureMs: 60_000,
  });
}

function waitFor<Result>(work: Promise<Result>, { deadlineAt, signal }: RobotsWait): Promise<Result> {
  return new Promise((resolve, reject) => {
    const tookTooLong = (): void =>
      reject(
        new RobotsRefusedError('fetch_timed_out', {
          detail: 'robots.txt took too long',
          isUnreachable: true,
        }),
      );
    const timer = setTimeout(tookTooLong, Math.max(0, deadlineAt - Date.now()));
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}
