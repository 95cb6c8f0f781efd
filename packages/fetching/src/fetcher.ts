import { createEgressGuard, type EgressGuard } from './egress/index.ts';
import { createBrowserEngine } from './browser/browser-engine.ts';
import type { BrowserStats } from './browser/browser-types.ts';
import { createGuardProxy, type GuardProxy } from './egress/guard-proxy.ts';
import { createGuardedConnector } from './egress/guarded-connector.ts';
import { createCrawler } from './crawler.ts';
import { createPageFetch } from './fetch-page.ts';
import type {
  FetchedPage,
  FetchLog,
  FetchMetrics,
  FetchRequest,
  FetchSettings,
  RawRequest,
  RawResponse,
} from './fetch-types.ts';
import { createHostStrikes } from './host-strikes.ts';
import { createCookieSessions, type CookieSession } from './http/cookie-sessions.ts';
import { requestPage, type HttpEngineOptions } from './http/http-engine.ts';
import { plainHeaders, mergeHeaders } from './http/request-headers.ts';
import { createAgent, createUndiciTransport } from './http/undici-transport.ts';
import { createMemoryAdmission, type Admission } from './memory-admission.ts';
import { createPageLoader } from './page-attempt.ts';
import { createPoliteness, type Politeness } from './politeness/politeness.ts';
import { createProxyTiers } from './proxies/proxy-tiers.ts';
import { createScrapeRobots } from './robots.ts';
import { parseTargetUrl } from './egress/target-url.ts';
import { DEFAULT_BOT_NAME } from '@gleaner/contracts/values';
import type { HeaderMap, Transport } from './http/exchange.ts';
import { toFetchFailure } from './http/fetch-failure.ts';

/** The response headers with one text per name, without cookies. */
function flattenHeaders(headers: HeaderMap): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

interface RawRequestDeps {
  transport: Transport;
  defaults: Readonly<Record<string, string>>;
  cookies: CookieSession;
  engine: HttpEngineOptions;
  crawlerAgent: string;
}

/** Sends one request and returns the response uninterpreted, with any status and type. */
async function sendRaw(request: RawRequest, deps: RawRequestDeps): Promise<RawResponse> {
  const defaults = request.asCrawler === true ? plainHeaders(deps.crawlerAgent) : deps.defaults;
  try {
    const response = await requestPage(
      deps.transport,
      {
        ...request,
        url: parseTargetUrl(request.url),
        method: request.method ?? 'GET',
        headers: mergeHeaders(defaults, request.headers, 'headers'),
        signal: request.signal,
        cookies: deps.cookies,
        ownCookies: request.headers?.['cookie'] ?? '',
        follow: request.followRedirects ?? true,
        cutAtBytes: request.maxBytes,
      },
      { ...deps.engine, maxDecodedBytes: Math.max(request.maxBytes ?? 0, deps.engine.maxDecodedBytes) },
    );
    return {
      url: request.url,
      finalUrl: response.finalUrl,
      status: response.status,
      contentType: response.contentType,
      headers: flattenHeaders(response.headers),
      body: response.body,
    };
  } catch (error) {
    if (request.signal?.aborted === true) throw request.signal.reason;
    throw toFetchFailure(error);
  }
}

export interface FetcherDeps {
  log: FetchLog;
  metrics?: FetchMetrics;
  /** Default: no limits, and pauses within this process. */
  politeness?: Politeness;
  /** The clock of `fetchedAt`: milliseconds since the epoch. Default: this machine's. */
  now?: () => number;
}

export interface FetcherStats {
  proxy: { routes: number; connections: number };
  tiers: Record<string, { proxies: number; resting: number }>;
  browser: BrowserStats;
}

export interface Fetcher {
  /**
   * Fetches a page with the client, proxy tier and time limits of its configuration. Throws AppError: `fetch_failed`
   * (`retryable` by cause), `target_blocked`, `fetch_timed_out`, `temporarily_unavailable` (an unconfigured tier).
   */
  fetchPage(request: FetchRequest): Promise<FetchedPage>;
  /** Sends one request for a webhook or robots.txt and returns any status and type. Same guard, limits and errors. */
  fetchRaw(request: RawRequest): Promise<RawResponse>;
  /** For clients that open their own connections. */
  readonly guard: EgressGuard;
  readonly guardProxy: GuardProxy;
  /** Whether memory allows new work. /readyz and the worker's consumers check it. */
  admission(): Admission;
  stats(): FetcherStats;
  close(): Promise<void>;
}

const USER_AGENT = 'Mozilla/5.0 (compatible; Gleaner/0.1)';
const DEFAULT_BYTES = 16 * 1024 * 1024;

/** Builds the fetcher of a process. It holds connections, proxies and browsers: close it. */
export async function createFetcher(settings: FetchSettings, deps: FetcherDeps): Promise<Fetcher> {
  const guard = createEgressGuard({ allow: settings.egressAllow, resolve: settings.resolve });
  const guardProxy = await createGuardProxy(guard);
  const connector = createGuardedConnector(guard, {
    connectTimeoutMs: settings.connectTimeoutMs,
    ca: settings.certificateAuthority,
  });
  const agent = createAgent(connector, 128);
  const transport = createUndiciTransport(agent, connector);
  const cookieSessions = createCookieSessions();
  const tiers = createProxyTiers({ proxies: settings.proxies ?? {}, guardProxy, metrics: deps.metrics });
  const browser = createBrowserEngine(settings, { guardProxy, log: deps.log });
  const politeness = deps.politeness ?? createPoliteness({ log: deps.log });
  const defaults = plainHeaders(USER_AGENT);
  const engineOptions: HttpEngineOptions = {
    maxWireBytes: settings.maxWireBytes ?? DEFAULT_BYTES,
    maxDecodedBytes: settings.maxDecodedBytes ?? DEFAULT_BYTES,
  };

  const memory = createMemoryAdmission({
    onChange: (state) => {
      deps.log.warn({ ...state }, state.isOpen ? 'memory is free again' : 'memory is short: no new work');
    },
  });

  const fetchRaw = (request: RawRequest): Promise<RawResponse> =>
    sendRaw(request, {
      transport,
      defaults,
      cookies: cookieSessions.open(undefined),
      engine: engineOptions,
      crawlerAgent: crawler.userAgent,
    });
  const crawler = createCrawler(settings.bot ?? { name: DEFAULT_BOT_NAME }, fetchRaw);
  const load = createPageLoader({
    plain: transport,
    plainHeaders: defaults,
    http: engineOptions,
    cookies: cookieSessions,
    tiers,
    browser,
  });

  const fetchPage = createPageFetch({
    load,
    tiers,
    politeness,
    strikes: createHostStrikes(politeness),
    memory,
    robots: createScrapeRobots(fetchRaw),
    crawler,
    metrics: deps.metrics,
    now: deps.now ?? Date.now,
  });

  return {
    guard,
    guardProxy,
    fetchPage,
    fetchRaw,
    admission: memory.state,
    stats: () => ({
      proxy: guardProxy.stats(),
      tiers: tiers.stats(),
      browser: browser.stats(),
    }),
    close: async () => {
      memory.close();
      await browser.close();
      await agent.destroy();
      tiers.close();
      await guardProxy.close();
      await politeness.close();
    },
  };
}
