import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import { createEgressGuard, type EgressGuard } from './egress/index.ts';
import { createBrowserEngine } from './browser/browser-engine.ts';
import type { BrowserStats } from './browser/browser-types.ts';
import { createGuardProxy, type GuardProxy } from './egress/guard-proxy.ts';
import { createGuardedConnector } from './egress/guarded-connector.ts';
import { parseTargetUrl } from './egress/target-url.ts';
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
import { createCookieSessions } from './http/cookie-sessions.ts';
import { requireText } from './http/content-type.ts';
import { headerText, type HeaderMap } from './http/exchange.ts';
import { toFetchFailure } from './http/fetch-failure.ts';
import type { HttpEngineOptions } from './http/http-engine.ts';
import { createOriginPools } from './http/origin-pools.ts';
import { plainHeaders } from './http/request-headers.ts';
import { createUndiciTransport } from './http/undici-transport.ts';
import { createMemoryAdmission, type Admission } from './memory-admission.ts';
import { createPageLoader, planAttempt } from './page-attempt.ts';
import { requirePage } from './page-outcome.ts';
import { createLocalPoliteness } from './politeness/local-politeness.ts';
import type { LeaveHost, Politeness } from './politeness/politeness.ts';
import { ProxyFault } from './proxies/proxy-fault.ts';
import { createProxyTiers } from './proxies/proxy-tiers.ts';
import { sendRaw } from './raw-request.ts';
import { attemptsOf, withRetries } from './retries.ts';
import { createRobots } from './robots.ts';

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
  tiers: Record<string, { proxies: number; resting: number }>;
  browser: BrowserStats;
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
  /** Whether memory allows new work: what /readyz and the worker's consumers ask. */
  admission(): Admission;
  stats(): FetcherStats;
  close(): Promise<void>;
}

const DEFAULT_USER_AGENT = 'Mozilla/5.0 (compatible; Gleaner/0.1)';
const DEFAULT_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 60;
/** What waits in place though the request comes again by itself. */
const SHORT_PAUSE_MS = 2_000;
const MEMORY_PATIENCE_MS = 10_000;
const MEMORY_POLL_MS = 200;

const KEPT_HEADERS = ['content-type', 'content-language', 'last-modified', 'etag', 'link', 'x-robots-tag'];

function keepHeaders(headers: HeaderMap): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    if (headers[name] !== undefined) kept[name] = headerText(headers, name);
  }
  return kept;
}

/** Everything between a task and a page. Holds connections, proxies and browsers: close it. */
export async function createFetcher(settings: FetchSettings, deps: FetcherDeps): Promise<Fetcher> {
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
  const tiers = createProxyTiers({ proxies: settings.proxies ?? {}, guardProxy, metrics: deps.metrics });
  const browser = createBrowserEngine(settings, { guardProxy, log: deps.log });
  const politeness = deps.politeness ?? createLocalPoliteness(settings);
  const strikes = createHostStrikes(politeness);
  const defaults = plainHeaders(settings.userAgent ?? DEFAULT_USER_AGENT);
  const engineOptions: HttpEngineOptions = {
    idleTimeoutMs: settings.idleTimeoutMs ?? 30_000,
    maxWireBytes: settings.maxWireBytes ?? DEFAULT_BYTES,
    maxDecodedBytes: settings.maxDecodedBytes ?? DEFAULT_BYTES,
  };

  const memory = createMemoryAdmission({
    ...settings.memory,
    onChange: (state) => {
      deps.log.warn({ ...state }, state.isOpen ? 'memory is free again' : 'memory is short: no new work');
    },
  });

  /** A page in the browser may cost a hundred megabytes: it waits for them, and does not fail silently. */
  const requireMemory = async ({ deadlineAt, signal }: FetchRequest): Promise<void> => {
    const giveUpAt = Math.min(deadlineAt, Date.now() + MEMORY_PATIENCE_MS);
    while (!memory.state().isOpen) {
      if (Date.now() >= giveUpAt) {
        throw new AppError('temporarily_unavailable', {
          detail: 'the worker is short of memory',
          retryAfterSeconds: 10,
        });
      }
      await sleep(MEMORY_POLL_MS, undefined, { signal });
    }
  };

  const fetchRaw = (request: RawRequest): Promise<RawResponse> =>
    sendRaw(request, { transport, defaults, cookies: cookieSessions.open(undefined), engine: engineOptions });
  const robots = createRobots({ fetchRaw, product: settings.robotsProduct ?? 'Gleaner' });
  const load = createPageLoader({
    plain: transport,
    plainHeaders: defaults,
    http: engineOptions,
    cookies: cookieSessions,
    tiers,
    browser,
  });

  const attemptOnce = async (
    request: FetchRequest,
    url: URL,
    clock: { startedAt: number; waitedMs: number },
    number: number,
  ): Promise<FetchedPage> => {
    const plan = planAttempt(request, url, tiers);
    const { session, engine, tier } = plan;
    let leave: LeaveHost | undefined;
    try {
      const timeoutMs = (request.config.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
      const turnDeadlineAt = Math.min(request.deadlineAt, Date.now() + timeoutMs);
      const turn = politeness.enter(url.host, {
        deadlineAt: turnDeadlineAt,
        // Who comes again anyway must not hold the place of others meanwhile.
        ...(request.isRequeuedWhenBusy === true
          ? { pauseDeadlineAt: Math.min(turnDeadlineAt, Date.now() + SHORT_PAUSE_MS) }
          : {}),
        signal: request.signal,
      });
      if (turn !== undefined) {
        const enteredAt = Date.now();
        leave = await turn;
        clock.waitedMs += Date.now() - enteredAt;
      }
      if (engine === 'browser' && !memory.state().isOpen) await requireMemory(request);
      const answer = await load(request, url, plan, Math.min(request.deadlineAt, Date.now() + timeoutMs));
      strikes.note(url, answer);
      session?.markGood();
      requirePage(
        { ...answer, url: url.href },
        {
          allowStatuses: request.allowStatuses,
          canChangeIdentity: session !== undefined,
          isLastAttempt: number >= attemptsOf(request.config.retries, request.attempts),
        },
      );
      requireText(answer.body, answer.contentType);
      const endedAt = Date.now();
      const totalMs = endedAt - clock.startedAt;
      deps.metrics?.fetched?.({ engine, tier, outcome: 'ok', status: answer.status, totalMs });
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
        timings: { startedAt: clock.startedAt, totalMs, waitedMs: clock.waitedMs },
      };
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      const failure = toFetchFailure(error);
      if (failure.code === 'target_blocked') session?.retire();
      if (failure instanceof ProxyFault) session?.markBad();
      const totalMs = Date.now() - clock.startedAt;
      deps.metrics?.fetched?.({ engine, tier, outcome: failure.code, status: 0, totalMs });
      throw failure;
    } finally {
      leave?.();
      session?.release();
    }
  };

  const fetchPage = async (request: FetchRequest): Promise<FetchedPage> => {
    const clock = { startedAt: Date.now(), waitedMs: 0 };
    const url = parseTargetUrl(request.url);
    if (request.config.respectRobots === true) await robots.require(url, request);
    const attempts = attemptsOf(request.config.retries, request.attempts);
    if (attempts === 1) return attemptOnce(request, url, clock, 1);
    return withRetries(
      {
        attempts,
        deadlineAt: request.deadlineAt,
        signal: request.signal,
        onWait: (delayMs) => {
          clock.waitedMs += delayMs;
        },
      },
      (number) => attemptOnce(request, url, clock, number),
    );
  };

  return {
    guard,
    guardProxy,
    fetchPage,
    fetchRaw,
    admission: memory.state,
    stats: () => ({
      egress: guard.stats(),
      proxy: guardProxy.stats(),
      origins: pools.stats().origins,
      cookieSessions: cookieSessions.size(),
      tiers: tiers.stats(),
      browser: browser.stats(),
    }),
    close: async () => {
      memory.close();
      await browser.close();
      await pools.close();
      tiers.close();
      await guardProxy.close();
      await politeness.close();
    },
  };
}
