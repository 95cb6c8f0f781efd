import { AppError } from '@gleaner/contracts';
import type { GuardProxy, ProxyRoute } from '../egress/guard-proxy.ts';
import type { FetchLog, FetchSettings } from '../fetch-types.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import { createBrowserFleet, type BrowserFleet } from './browser-fleet.ts';
import type { BrowserEngine, BrowserRequest } from './browser-types.ts';
import { unpackChromium } from './find-chromium.ts';
import { createFingerprints, type Fingerprint, type Fingerprints } from './fingerprints.ts';
import { loadPage } from './load-page.ts';
import { identityOf, preparePage, type PageIdentity } from './prepare-page.ts';
import { timedOut } from '../http/fetch-failure.ts';
import { toNavigationFailure } from './navigation-failure.ts';

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

/** What a page has given so far. It may take longer to close than its fetch has left. */
interface PageResult {
  response?: HttpResponse;
  failure?: unknown;
}

/** Stops waiting at the deadline or cancellation. The work itself cleans up afterwards. */
function untilOver(
  { deadlineAt, signal }: BrowserRequest,
  work: Promise<HttpResponse>,
  result: PageResult,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const cancelLimit = atDeadline(deadlineAt, () => {
      if (result.response === undefined) reject(result.failure ?? timedOut());
      else resolve(result.response);
    });
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** The limits of one page: its time, its bytes, and its caller's signal. */
interface PageLimits {
  /** Why the page failed: the limit that closed it, or the meaning of Playwright's error. */
  failureOf(error: unknown): unknown;
  lift(): void;
}

/** Calls `close` when the page reaches one of its limits. */
function limitPage(
  request: BrowserRequest,
  route: ProxyRoute,
  maxDecodedBytes: number,
  close: () => void,
): PageLimits {
  // A proxy session's route has already received other pages.
  const receivedBefore = route.receivedBytes();
  const isTooLarge = (): boolean =>
    route.receivedBytes() - receivedBefore > maxDecodedBytes * PAGE_BYTES_FACTOR;
  const watch = setInterval(() => {
    if (isTooLarge()) close();
  }, WATCH_EVERY_MS);
  let isExpired = false;
  const cancelExpiry = atDeadline(request.deadlineAt, () => {
    isExpired = true;
    close();
  });
  request.signal.addEventListener('abort', close, { once: true });

  return {
    failureOf: (error) => {
      if (request.signal.aborted) return request.signal.reason;
      if (isExpired) return timedOut();
      if (isTooLarge()) {
        return new AppError('fetch_failed', {
          detail: 'the page and its resources are too large',
          retryable: false,
        });
      }
      return toNavigationFailure(error, request.route !== undefined);
    },
    lift: () => {
      clearInterval(watch);
      cancelExpiry();
      request.signal.removeEventListener('abort', close);
    },
  };
}

interface BrowserEngineDeps {
  guardProxy: GuardProxy;
  log: FetchLog;
}

const NO_STATS = { browsers: 0, pages: 0, launched: 0, crashed: 0, memoryBytes: 0 };

/** Opens a page, loads the URL in it and closes it. Writes what it has as soon as it has it to `result`. */
async function loadInPage(
  fleet: BrowserFleet,
  request: BrowserRequest,
  {
    identity,
    maxDecodedBytes,
    result,
  }: { identity: PageIdentity; maxDecodedBytes: number; result: PageResult },
): Promise<HttpResponse> {
  const { signal } = request;
  const route = identity.options.guardRoute;
  const page = await fleet.openPage(identity.options);
  const limits = limitPage(request, route, maxDecodedBytes, () => void fleet.closePage(page));
  try {
    if (signal.aborted) throw signal.reason;
    const { interception, referer } = await preparePage(page, request, identity);
    result.response = await loadPage(page, {
      ...request,
      deadlineAt: request.deadlineAt - REPORT_MS,
      route,
      isProxied: request.route !== undefined,
      maxDecodedBytes,
      referer,
      interception,
    });
    return result.response;
  } catch (error) {
    result.failure = limits.failureOf(error);
    throw result.failure;
  } finally {
    limits.lift();
    await fleet.closePage(page);
  }
}

/** Calls `open` once and keeps what it gives; after a failure the next call tries again. */
function openOnce<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opening: Promise<Opened> | undefined;
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}

/** Builds the browser client. Each fetch has its own context and proxy route, which end with it. */
export function createBrowserEngine(
  settings: FetchSettings,
  { guardProxy, log }: BrowserEngineDeps,
): BrowserEngine {
  const browserSettings = settings.browser ?? {};
  const maxDecodedBytes = settings.maxDecodedBytes ?? 16 * 1024 * 1024;
  let fleet: BrowserFleet | undefined;
  let starting: Promise<BrowserFleet> | undefined;
  const start = openOnce(async () => {
    starting = createBrowserFleet(browserSettings, log);
    fleet = await starting;
    return fleet;
  });
  const openFingerprints = openOnce<Fingerprints>(createFingerprints);

  const startFleet = async (): Promise<BrowserFleet> => {
    try {
      return await start();
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('temporarily_unavailable', {
        detail: 'the browser could not be started',
        cause: error,
      });
    }
  };

  const fingerprintOf = async ({ fingerprintKey }: BrowserRequest): Promise<Fingerprint | undefined> =>
    fingerprintKey === undefined ? undefined : (await openFingerprints())(fingerprintKey);

  const load = async (
    request: BrowserRequest,
    route: ProxyRoute,
    result: PageResult,
  ): Promise<HttpResponse> => {
    const running = await startFleet();
    const fingerprint = await fingerprintOf(request);
    const { version } = running;
    const identity = identityOf(request, { route, fingerprint, version });
    return loadInPage(running, request, { identity, maxDecodedBytes, result });
  };

  if (browserSettings.prepare === true) {
    unpackChromium(browserSettings.executablePath).catch((error: unknown) =>
      log.error({ err: error }, 'Chromium could not be unpacked: pages that need a browser will fail'),
    );
  }

  return {
    fetch: async (request) => {
      const route = request.route ?? guardProxy.openRoute();
      const result: PageResult = {};
      const work = load(request, route, result);
      // The route of a direct fetch ends with its page, which may close after the caller stopped waiting.
      if (request.route === undefined) void work.catch(() => undefined).finally(() => route.close());
      return untilOver(request, work, result);
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
