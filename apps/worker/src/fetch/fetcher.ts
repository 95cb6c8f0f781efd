import { AppError, readProxy, usesBrowser, type ProxyTier } from '@gleaner/contracts';
import { createEgressGuard, type EgressGuard } from './egress/egress-guard.ts';
import { createGuardProxy, type GuardProxy } from './egress/guard-proxy.ts';
import { createGuardedConnector } from './egress/guarded-connector.ts';
import { parseTargetUrl } from './egress/target-url.ts';
import type {
  FetchedPage,
  FetchEngine,
  FetchLog,
  FetchMetrics,
  FetchRequest,
  FetchSettings,
  RawRequest,
  RawResponse,
} from './fetch-types.ts';
import { createHostStrikes } from './host-strikes.ts';
import { createCookieSessions, formatCookies } from './http/cookie-sessions.ts';
import { requirePageType, requireText } from './http/content-type.ts';
import { headerText, type HeaderMap } from './http/exchange.ts';
import { toFetchFailure } from './http/fetch-failure.ts';
import { requestPage, type HttpAnswer, type HttpEngineOptions } from './http/http-engine.ts';
import { createOriginPools } from './http/origin-pools.ts';
import { mergeHeaders, plainHeaders } from './http/request-headers.ts';
import { createUndiciTransport } from './http/undici-transport.ts';
import { requirePage } from './page-outcome.ts';
import { createLocalPoliteness } from './politeness/local-politeness.ts';
import type { Politeness } from './politeness/politeness.ts';
import { sendRaw } from './raw-request.ts';
import { attemptsOf, withRetries } from './retries.ts';

export interface FetcherDeps {
  log: FetchLog;
  metrics?: FetchMetrics;
  /** Shared by all workers where there is a place to share; default: this process alone. */
  politeness?: Politeness;
}

export interface FetcherStats {
  egress: { decided: number; refused: number; cachedHosts: number };
  proxy: { routes: number; connections: number };
  origins: number;
  cookieSessions: number;
}

export interface Fetcher {
  /**
   * Fetches a page with the client, tier and patience its configuration asks for. Throws AppError: `fetch_failed`
   * (`retryable` by cause), `target_blocked`, `fetch_timed_out`, `temporarily_unavailable` (an unconfigured tier).
   */
  fetchPage(request: FetchRequest): Promise<FetchedPage>;
  /** One request as it is (webhooks, site plans): any status and type come back; same guard, limits and errors. */
  fetchRaw(request: RawRequest): Promise<RawResponse>;
  /** For clients that open their own connections. */
  readonly guard: EgressGuard;
  readonly guardProxy: GuardProxy;
  stats(): FetcherStats;
  close(): Promise<void>;
}

const DEFAULT_USER_AGENT = 'Mozilla/5.0 (compatible; Gleaner/0.1)';
const DEFAULT_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 60;

const KEPT_HEADERS = ['content-type', 'content-language', 'last-modified', 'etag', 'link', 'x-robots-tag'];

const keepHeaders = (headers: HeaderMap): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    if (headers[name] !== undefined) kept[name] = headerText(headers, name);
  }
  return kept;
};

/** Everything between a task and a page. Holds connections, proxies and browsers: close it. */
export const createFetcher = async (settings: FetchSettings, deps: FetcherDeps): Promise<Fetcher> => {
  const guard = createEgressGuard({ allow: settings.egressAllow, resolve: settings.resolve });
  const guardProxy = await createGuardProxy(guard);
  const pools = createOriginPools({
    connector: createGuardedConnector(guard, {
      connectTimeoutMs: settings.connectTimeoutMs,
      ca: settings.certificateAuthority,
    }),
    connectionsPerOrigin: settings.connectionsPerOrigin ?? 128,
    maxOrigins: settings.maxOrigins ?? 1_000,
  });
  const transport = createUndiciTransport(pools);
  const cookieSessions = createCookieSessions();
  const politeness = deps.politeness ?? createLocalPoliteness(settings);
  const strikes = createHostStrikes(politeness);
  const defaults = plainHeaders(settings.userAgent ?? DEFAULT_USER_AGENT);
  const engineOptions: HttpEngineOptions = {
    idleTimeoutMs: settings.idleTimeoutMs ?? 30_000,
    maxWireBytes: settings.maxWireBytes ?? DEFAULT_BYTES,
    maxDecodedBytes: settings.maxDecodedBytes ?? DEFAULT_BYTES,
  };

  const fetchPlain = (request: FetchRequest, url: URL, deadlineAt: number): Promise<HttpAnswer> =>
    requestPage(
      transport,
      {
        url,
        method: request.method ?? 'GET',
        headers: mergeHeaders(defaults, request.config.headers),
        body: request.body,
        deadlineAt,
        signal: request.signal,
        cookies: cookieSessions.open(
          request.sessionKey === undefined ? undefined : `${request.accountId} ${request.sessionKey}`,
        ),
        ownCookies: formatCookies(request.config.cookies),
        follow: true,
        inspect: (status, headers) => {
          if (status < 400) requirePageType(headerText(headers, 'content-type'));
        },
      },
      engineOptions,
    );

  const fetchPage = async (request: FetchRequest): Promise<FetchedPage> => {
    const startedAt = Date.now();
    const url = parseTargetUrl(request.url);
    const { tier } = readProxy(request.config.proxy);
    const engine: FetchEngine = usesBrowser(request.config) ? 'browser' : 'http';
    requireTier(settings, tier);
    if (engine === 'browser') throw new AppError('temporarily_unavailable', { detail: 'no browser' });
    const timeoutMs = (request.config.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
    let waitedMs = 0;

    const attempt = async (number: number): Promise<FetchedPage> => {
      const turn = politeness.enter(url.host, request);
      const enteredAt = turn === undefined ? 0 : Date.now();
      const leave = turn === undefined ? undefined : await turn;
      if (turn !== undefined) waitedMs += Date.now() - enteredAt;
      try {
        const deadlineAt = Math.min(request.deadlineAt, Date.now() + timeoutMs);
        const answer = await fetchPlain(request, url, deadlineAt);
        strikes.note(url.host, answer.status, answer.headers);
        const seen = { ...answer, url: url.href };
        requirePage(seen, { allowStatuses: request.allowStatuses, canChangeIdentity: false });
        requireText(answer.body, answer.contentType);
        const endedAt = Date.now();
        deps.metrics?.fetched?.({
          engine,
          tier,
          outcome: 'ok',
          status: answer.status,
          totalMs: endedAt - startedAt,
        });
        return {
          url: request.url,
          finalUrl: answer.finalUrl,
          status: answer.status,
          contentType: answer.contentType,
          headers: keepHeaders(answer.headers),
          body: answer.body,
          fetchedAt: new Date(endedAt).toISOString(),
          attempts: number,
          engine,
          timings: { startedAt, totalMs: endedAt - startedAt, waitedMs },
        };
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        const failure = toFetchFailure(error);
        deps.metrics?.fetched?.({
          engine,
          tier,
          outcome: failure.code,
          status: 0,
          totalMs: Date.now() - startedAt,
        });
        throw failure;
      } finally {
        leave?.();
      }
    };

    return withRetries(
      {
        attempts: attemptsOf(request.config.retries, request.attempts),
        deadlineAt: request.deadlineAt,
        signal: request.signal,
        onWait: (delayMs) => {
          waitedMs += delayMs;
        },
      },
      attempt,
    );
  };

  return {
    guard,
    guardProxy,
    fetchPage,
    fetchRaw: (request) =>
      sendRaw(request, {
        transport,
        defaults,
        cookies: cookieSessions.open(undefined),
        engine: engineOptions,
      }),
    stats: () => ({
      egress: guard.stats(),
      proxy: guardProxy.stats(),
      origins: pools.stats().origins,
      cookieSessions: cookieSessions.size(),
    }),
    close: async () => {
      await pools.close();
      await guardProxy.close();
      await politeness.close();
    },
  };
};

const requireTier = (settings: FetchSettings, tier: ProxyTier): void => {
  if (tier === 'default' || (settings.proxies?.[tier]?.length ?? 0) > 0) return;
  throw new AppError('temporarily_unavailable', {
    field: 'proxy',
    detail: `the proxy tier ${tier} is not configured: GLEANER_PROXY_${tier.toUpperCase()} is not set`,
    hint: `The operator sets GLEANER_PROXY_${tier.toUpperCase()} to a list of proxy URLs.`,
    retryable: false,
  });
};
