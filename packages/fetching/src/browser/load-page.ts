import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { Page, Response } from 'playwright';
import { isProxyFailure, type ProxyRoute } from '../egress/guard-proxy.ts';
import { portOf } from '../egress/target-url.ts';
import { isPdfType, PdfRefusedError } from '../http/content-type.ts';
import { timedOut } from '../http/fetch-failure.ts';
import { REDIRECTS_HINT, type HttpResponse } from '../http/http-engine.ts';
import { ProxyFault } from '../proxies/proxy-rests.ts';
import { toNavigationFailure } from './navigation-failure.ts';
import {
  NAVIGATION_PATIENCE_MS,
  remainingMs,
  throwFailure,
  waitForLoad,
  waitForRefresh,
  waitForSelector,
  waitForState,
} from './navigation-waits.ts';
import type { BrowserRequest } from './browser-types.ts';
import type { Interception } from './page-interception.ts';
import { makeFiles } from './page-files.ts';
import { performAction } from './page-actions.ts';
import { captureResponses } from './response-captures.ts';
import { waitForQuiet, watchRequests, type RequestWatch } from './quiet-page.ts';
import { isInterruption, watchNavigation, type NavigationWatch } from './navigation-watch.ts';
import { readDocument, requireWholeDocument } from './read-document.ts';

const MAX_REDIRECTS = 10;

export interface LoadOptions extends BrowserRequest {
  route: ProxyRoute;
  /** Whether the route leads through an upstream proxy. */
  isProxied: boolean;
  maxDecodedBytes: number;
  referer: string | undefined;
  interception: Interception;
}

function refusalOf(route: ProxyRoute, url: string): AppError | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return route.refusalOf(parsed.hostname, portOf(parsed));
}

function countRedirects(response: Response): number {
  let count = 0;
  for (
    let request = response.request().redirectedFrom();
    request !== null;
    request = request.redirectedFrom()
  ) {
    count += 1;
  }
  return count;
}

function tooManyRedirects(): AppError {
  return new AppError('fetch_failed', {
    detail: `more than ${MAX_REDIRECTS} redirects`,
    hint: REDIRECTS_HINT,
    retryable: false,
  });
}

/** Throws the refusal or proxy failure that the guard's proxy reported instead of the target's response. */
function requireTargetResponse(response: Response, { route, isProxied }: LoadOptions): void {
  if (!isProxyFailure(response.status())) return;
  const detail = 'the target could not be reached';
  const fault = isProxied
    ? new ProxyFault('fetch_failed', { detail })
    : new AppError('fetch_failed', { detail });
  throw refusalOf(route, response.url()) ?? fault;
}

/**
 * Runs `step` on the page's document, and again on each document that replaces it in the meantime. Throws after too
 * many documents, or the failure of the last one.
 */
async function onLastDocument<Result>(
  page: Page,
  navigation: NavigationWatch,
  deadlineAt: number,
  step: () => Promise<Result>,
): Promise<Result> {
  const before = navigation.count();
  for (;;) {
    if (navigation.count() - before > MAX_REDIRECTS + 1) throw tooManyRedirects();
    await navigation.whenCommitted(remainingMs(deadlineAt));
    throwFailure(navigation);
    const seen = navigation.count();
    try {
      await waitForState(page, navigation, 'domcontentloaded', remainingMs(deadlineAt));
      const result = await step();
      if (navigation.count() === seen) return result;
    } catch (error) {
      // Playwright may report the new document's request a moment after the interruption that it causes.
      if (isInterruption(error)) await navigation.whenStarted(NAVIGATION_PATIENCE_MS);
      if (!isInterruption(error) || navigation.count() === seen) throw error;
    }
  }
}

/** Opens the URL. A page that moves on to another document at once counts as opened. */
async function open(page: Page, navigation: NavigationWatch, options: LoadOptions): Promise<void> {
  try {
    await page.goto(options.url.href, {
      waitUntil: 'commit',
      timeout: remainingMs(options.deadlineAt),
      referer: options.referer,
    });
  } catch (error) {
    if (!isInterruption(error) || navigation.count() < 2) throw error;
  }
}

/** Waits for the selector of the configuration, or for the page's `load` event and a short refresh. */
async function waitAsConfigured(
  page: Page,
  navigation: NavigationWatch,
  options: LoadOptions,
): Promise<void> {
  const { config, deadlineAt } = options;
  const response = navigation.lastResponse();
  if (response !== undefined) requireTargetResponse(response, options);
  await requireWholeDocument(page, navigation);
  if (config.waitForBrowser === undefined) {
    await waitForLoad(page, navigation, deadlineAt);
    await waitForRefresh(page, navigation, deadlineAt);
  } else await waitForSelector(page, config.waitForBrowser, deadlineAt);
}

/** How long an action's navigation may take to start. */
const ACTION_NAVIGATION_MS = 100;

/** Does the configured actions in order; after each, waits for the document that it may have led to. */
async function actAsConfigured(
  page: Page,
  navigation: NavigationWatch,
  requests: RequestWatch,
  options: LoadOptions,
): Promise<void> {
  const { config, deadlineAt, signal } = options;
  const settle = (): Promise<void> =>
    onLastDocument(page, navigation, deadlineAt, async () => {
      await waitForLoad(page, navigation, deadlineAt);
      await waitForQuiet(page, requests, deadlineAt);
    });
  for (const [index, action] of (config.actions ?? []).entries()) {
    const documents = navigation.count();
    await performAction({ page, deadlineAt, signal, settle }, action, index);
    if (action.wait === undefined && action.scroll === undefined && !navigation.isPending()) {
      await navigation.whenStarted(Math.min(ACTION_NAVIGATION_MS, remainingMs(deadlineAt)));
    }
    if (navigation.count() === documents) continue;
    await onLastDocument(page, navigation, deadlineAt, () => waitForLoad(page, navigation, deadlineAt));
  }
}

/** A page that loads data after its `load` event has this long for it. */
const CAPTURE_PATIENCE_MS = 10_000;

async function pauseAsConfigured({ config, deadlineAt, signal }: LoadOptions): Promise<void> {
  const waitMs = (config.waitSeconds ?? 0) * 1_000;
  if (waitMs <= 0) return;
  if (waitMs >= remainingMs(deadlineAt)) throw timedOut();
  await sleep(waitMs, undefined, { signal });
}

/** Waits until the page is quiet, unless its configuration says what to wait for. */
async function settle(
  page: Page,
  navigation: NavigationWatch,
  requests: RequestWatch,
  { config, deadlineAt }: LoadOptions,
): Promise<void> {
  const isTold =
    config.waitForBrowser !== undefined ||
    config.waitSeconds !== undefined ||
    config.actions?.some(({ wait }) => wait !== undefined) === true;
  if (isTold) return;
  await waitForLoad(page, navigation, deadlineAt);
  await waitForQuiet(page, requests, deadlineAt);
}

async function read(page: Page, navigation: NavigationWatch, options: LoadOptions): Promise<HttpResponse> {
  const refusal = options.interception.refusal();
  if (refusal !== undefined) throw refusal;
  const response = navigation.lastResponse();
  if (response === undefined)
    throw new AppError('fetch_failed', { detail: 'the page gave no answer', retryable: true });
  requireTargetResponse(response, options);
  if (countRedirects(response) > MAX_REDIRECTS) throw tooManyRedirects();
  if (!/^https?:/.test(page.url())) {
    throw new AppError('fetch_failed', { detail: 'the page left http and https', retryable: false });
  }
  // A script may have changed the address without a request.
  await options.checkRedirect?.(new URL(page.url()));
  return readDocument(page, response, {
    maxBytes: options.maxDecodedBytes,
    composed: options.config.composed !== false,
  });
}

/** Loads a URL in a page, waits as configured, and reads the resulting document. Throws AppError. */
export async function loadPage(page: Page, options: LoadOptions): Promise<HttpResponse> {
  const { config, deadlineAt, capture = [], files: wanted = [] } = options;
  const navigation = watchNavigation(page, () => {
    options.interception.narrow();
    options.onResponse?.();
  });
  const requests = watchRequests(page);
  const captures = capture.length === 0 ? undefined : captureResponses(page, capture);
  try {
    await open(page, navigation, options);
    await onLastDocument(page, navigation, deadlineAt, () => waitAsConfigured(page, navigation, options));
    await actAsConfigured(page, navigation, requests, options);
    await onLastDocument(page, navigation, deadlineAt, () => settle(page, navigation, requests, options));
    await pauseAsConfigured(options);
    await captures?.whenComplete(Math.min(CAPTURE_PATIENCE_MS, remainingMs(deadlineAt) / 2));
    const document = await onLastDocument(page, navigation, deadlineAt, () =>
      read(page, navigation, options),
    );
    const files =
      wanted.length === 0 || document.status >= 400
        ? undefined
        : await makeFiles(page, wanted, { screenshot: config.screenshot, deadlineAt });
    return {
      ...document,
      ...(captures === undefined ? {} : { captures: captures.read() }),
      ...(files === undefined ? {} : { files }),
    };
  } catch (error) {
    const refusal = options.interception.refusal();
    if (refusal !== undefined) throw refusal;
    if (error instanceof AppError) throw error;
    // A PDF may be saved or shown by a viewer of the browser's own: neither gives a document.
    if (isPdfType(navigation.lastResponse()?.headers()['content-type'] ?? '')) throw new PdfRefusedError();
    const failedUrl = navigation.failure()?.url ?? options.url.href;
    throw refusalOf(options.route, failedUrl) ?? toNavigationFailure(error, options.isProxied);
  }
}
