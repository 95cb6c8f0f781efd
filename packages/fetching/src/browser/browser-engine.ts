import { AppError } from '@gleaner/contracts';
import type { BrowserContext } from 'playwright';
import type { GuardProxy, ProxyRoute } from '../egress/guard-proxy.ts';
import type { FetchLog, FetchSettings } from '../fetch-types.ts';
import { encodeCookie } from '../http/cookie-sessions.ts';
import { timedOut } from '../http/fetch-failure.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import { mergeHeaders } from '../http/request-headers.ts';
import { createBrowserFleet, type BrowserFleet } from './browser-fleet.ts';
import type { BrowserEngine, BrowserRequest } from './browser-types.ts';
import type { RoutedPageOptions } from './chromium-launcher.ts';
import { unpackChromium } from './find-chromium.ts';
import { createFingerprints, type Fingerprints } from './fingerprints.ts';
import { loadPage } from './load-page.ts';
import { toNavigationFailure } from './navigation-failure.ts';
import { interceptRequests } from './page-interception.ts';
import { hideHeadless, userAgentOf } from './user-agent.ts';

export interface BrowserEngineDeps {
  guardProxy: GuardProxy;
  log: FetchLog;
}

/** A page with its subresources may transfer this many times `maxDecodedBytes`. */
const PAGE_BYTES_FACTOR = 8;
const WATCH_EVERY_MS = 500;
/** The step that is too slow has this long to name itself before the fetch ends with a general reason. */
const REPORT_MS = 150;

/**
 * Calls `end` at the deadline. The last milliseconds are counted from when this process sees that they have begun:
 * when it was busy until after the deadline, the timer of the step that was too slow has still gone off before.
 * @returns a function that calls it off
 */
function atDeadline(deadlineAt: number, end: () => void): () => void {
  let timer = setTimeout(
    () => {
      timer = setTimeout(end, REPORT_MS);
    },
    Math.max(0, deadlineAt - REPORT_MS - Date.now()),
  );
  return () => clearTimeout(timer);
}

/** What became of a page, which may take longer to close than its fetch has left. */
interface Outcome {
  response?: HttpResponse;
  failure?: unknown;
}

const NO_STATS = { browsers: 0, pages: 0, launched: 0, crashed: 0, memoryBytes: 0 };

/** Adds the request's cookies to the context. Throws `invalid_request` for cookies that don't fit the URL. */
async function addCookies(
  context: BrowserContext,
  { cookies = {} }: BrowserRequest['config'],
  url: URL,
): Promise<void> {
  const own = Object.entries(cookies).map(([name, value]) => ({
    name,
    value: encodeCookie(value),
    url: url.origin,
  }));
  if (own.length === 0) return;
  try {
    await context.addCookies(own);
  } catch (error) {
    if (!/invalid cookie/i.test(String(error))) throw error;
    throw new AppError('invalid_request', {
      field: 'scrape_config.cookies',
      detail: 'the browser does not accept them for this URL',
      cause: error,
    });
  }
}

/** The languages of an Accept-Language header in its order, as scripts see them. */
function languagesOf(header: string | undefined): string | undefined {
  return header
    ?.split(',')
    .map((part) => (part.split(';')[0] ?? '').trim())
    .filter((language) => language !== '' && language !== '*')
    .join(',');
}

/** Builds the browser client. Each fetch has its own context and proxy route, which end with it. */
export function createBrowserEngine(
  settings: FetchSettings,
  { guardProxy, log }: BrowserEngineDeps,
): BrowserEngine {
  const browserSettings = settings.browser ?? {};
  const maxDecodedBytes = settings.maxDecodedBytes ?? 16 * 1024 * 1024;
  let starting: Promise<BrowserFleet> | undefined;
  let fleet: BrowserFleet | undefined;
  let fingerprints: Promise<Fingerprints> | undefined;

  const start = (): Promise<BrowserFleet> => {
    starting ??= createBrowserFleet(browserSettings, log).then(
      (started) => {
        fleet = started;
        return started;
      },
      (error: unknown) => {
        starting = undefined;
        throw error;
      },
    );
    return starting;
  };

  const pageOptions = (
    running: BrowserFleet,
    request: BrowserRequest,
    route: ProxyRoute,
  ): RoutedPageOptions => {
    const given = mergeHeaders({}, request.config.headers);
    return {
      guardRoute: route,
      acceptDownloads: false,
      serviceWorkers: 'block',
      viewport: browserSettings.viewport ?? { width: 1280, height: 800 },
      locale: browserSettings.locale ?? 'en-US',
      userAgent: given['user-agent'] ?? userAgentOf(running.version),
    };
  };

  const load = async (
    running: BrowserFleet,
    request: BrowserRequest,
    route: ProxyRoute,
    outcome: Outcome,
  ): Promise<HttpResponse> => {
    const { config, url, files = [] } = request;
    const fingerprint =
      request.fingerprintKey === undefined
        ? undefined
        : (await (fingerprints ??= createFingerprints())).get(request.fingerprintKey);
    const options = pageOptions(running, request, route);
    const page = await running.openPage(
      fingerprint === undefined ? options : { ...options, ...fingerprint.contextOptions },
    );
    const close = (): void => void running.closePage(page);
    // A proxy session's route has already received other pages.
    const receivedBefore = route.receivedBytes();
    const isTooMuch = (): boolean =>
      route.receivedBytes() - receivedBefore > maxDecodedBytes * PAGE_BYTES_FACTOR;
    const watch = setInterval(() => {
      if (isTooMuch()) close();
    }, WATCH_EVERY_MS);
    let isExpired = false;
    const cancelExpiry = atDeadline(request.deadlineAt, () => {
      isExpired = true;
      close();
    });
    request.signal.addEventListener('abort', close, { once: true });
    const failureOf = (error: unknown): unknown => {
      if (request.signal.aborted) return request.signal.reason;
      if (isExpired) return timedOut();
      if (isTooMuch()) {
        return new AppError('fetch_failed', {
          detail: 'the page and its resources are too large',
          retryable: false,
        });
      }
      return toNavigationFailure(error, request.route !== undefined);
    };
    try {
      if (request.signal.aborted) throw request.signal.reason;
      const context = page.context();
      context.on('page', (popup) => {
        if (popup !== page) void popup.close().catch(() => undefined);
      });
      await fingerprint?.attach(context);
      await addCookies(context, config, url);
      const given = mergeHeaders({}, config.headers);
      const { 'user-agent': _agent, referer, ...headers } = given;
      const client = await context.newCDPSession(page);
      if (fingerprint === undefined) {
        await hideHeadless(client, running.version, {
          ...options,
          acceptLanguage: languagesOf(given['accept-language']) ?? options.locale,
        });
      }
      const interception = await interceptRequests(client, {
        route,
        // A picture of a page needs its pictures.
        blockResources: config.blockResources ?? files.length === 0,
        headers,
        origin: url.origin,
      });
      outcome.response = await loadPage(page, {
        url,
        config,
        deadlineAt: request.deadlineAt - REPORT_MS,
        signal: request.signal,
        route,
        isProxied: request.route !== undefined,
        maxDecodedBytes,
        referer,
        capture: request.capture ?? [],
        files,
        onFirstResponse: interception.narrow,
      });
      return outcome.response;
    } catch (error) {
      outcome.failure = failureOf(error);
      throw outcome.failure;
    } finally {
      clearInterval(watch);
      cancelExpiry();
      request.signal.removeEventListener('abort', close);
      await running.closePage(page);
    }
  };

  /** Stops waiting at the deadline or cancellation. The work itself cleans up afterwards. */
  const untilOver = (
    request: BrowserRequest,
    work: Promise<HttpResponse>,
    outcome: Outcome,
  ): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const cancelLimit = atDeadline(request.deadlineAt, () => {
        if (outcome.response === undefined) reject(outcome.failure ?? timedOut());
        else resolve(outcome.response);
      });
      const onAbort = (): void => reject(request.signal.reason as Error);
      request.signal.addEventListener('abort', onAbort, { once: true });
      void work.then(resolve, reject).finally(() => {
        cancelLimit();
        request.signal.removeEventListener('abort', onAbort);
      });
    });

  const fetchOver = async (
    request: BrowserRequest,
    route: ProxyRoute,
    outcome: Outcome,
  ): Promise<HttpResponse> => {
    let running: BrowserFleet;
    try {
      running = await start();
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('temporarily_unavailable', {
        detail: 'the browser could not be started',
        cause: error,
      });
    }
    return load(running, request, route, outcome);
  };

  if (browserSettings.prepare === true) {
    unpackChromium(browserSettings).catch((error: unknown) =>
      log.error({ err: error }, 'Chromium could not be unpacked: pages that need a browser will fail'),
    );
  }

  return {
    fetch: async (request) => {
      const route = request.route ?? guardProxy.openRoute();
      const outcome: Outcome = {};
      const work = fetchOver(request, route, outcome);
      // The route of a direct fetch ends with its page, which may close after the caller stopped waiting.
      if (request.route === undefined) void work.catch(() => undefined).finally(() => route.close());
      return untilOver(request, work, outcome);
    },
    stats: () => ({
      ...(fleet?.stats() ?? NO_STATS),
      sandbox: fleet?.sandbox() ?? 'untried',
      chromium: fleet?.chromium ?? '',
    }),
    close: async () => {
      const running = await starting?.catch(() => undefined);
      await running?.close();
    },
  };
}
