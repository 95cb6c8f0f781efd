import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ScrapeConfig } from '@gleaner/contracts';
import { errors, type Page, type Response } from 'playwright';
import { isBlank } from '../empty-page.ts';
import { isProxyFailure, type ProxyRoute } from '../egress/guard-proxy.ts';
import { isHtmlType, mediaType, requirePageType } from '../http/content-type.ts';
import { timedOut } from '../http/fetch-failure.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import { ProxyFault } from '../proxies/proxy-fault.ts';
import { readRefreshDelayMs, refreshOf } from './page-refresh.ts';
import { toNavigationFailure } from './navigation-failure.ts';
import { isInterruption, watchNavigation, type NavigationWatch } from './navigation-watch.ts';

const MAX_REDIRECTS = 10;
/** After its document is complete a page gets this long for what it still loads. */
const LOAD_PATIENCE_MS = 10_000;
/** A refresh that comes sooner is followed like a redirect; with a longer delay the page is meant to be read. */
const MAX_REFRESH_DELAY_MS = 1_000;
/** How late a refresh may be, or the news of a document that was asked for. */
const REFRESH_PATIENCE_MS = 500;
const READY_POLL_MS = 50;

export interface LoadOptions {
  url: URL;
  config: ScrapeConfig;
  deadlineAt: number;
  signal: AbortSignal;
  route: ProxyRoute;
  /** Whether the route leads through an upstream proxy. */
  isProxied: boolean;
  maxDecodedBytes: number;
  referer: string | undefined;
  /** The target has been heard, as the first of all that the page will load. */
  onFirstAnswer(): void;
}

function remaining(deadlineAt: number): number {
  const ms = deadlineAt - Date.now();
  if (ms <= 0) throw timedOut();
  return ms;
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
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

/** What the browser makes of no bytes at all. */
const EMPTY_DOCUMENT = '<html><head></head><body></body></html>';

/** Whether an empty document came so, and was not emptied by a script. */
async function cameEmpty(response: Response): Promise<boolean> {
  const sent = await response.body().catch(() => undefined);
  return sent === undefined ? response.headers()['content-length'] === '0' : isBlank(sent);
}

/** The document as it stands now, `null` when it is longer than allowed. Runs in the page. */
function serialize(maxLength: number): string | null {
  const { doctype, documentElement } = document;
  const html =
    (doctype === null ? '' : new XMLSerializer().serializeToString(doctype)) +
    (documentElement?.outerHTML ?? '');
  return html.length > maxLength ? null : html;
}

async function waitForSelector(page: Page, selector: string, deadlineAt: number): Promise<void> {
  try {
    await page.waitForSelector(`css=${selector}`, { state: 'attached', timeout: remaining(deadlineAt) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new AppError('fetch_timed_out', {
        detail: `nothing matched waitForBrowser: ${selector}`,
        cause: error,
      });
    }
    if (error instanceof Error && /selector/i.test(error.message) && !/closed/i.test(error.message)) {
      throw new AppError('invalid_request', {
        field: 'waitForBrowser',
        detail: `${selector} is not a CSS selector`,
        cause: error,
      });
    }
    throw error;
  }
}

function throwFailure(navigation: NavigationWatch): void {
  const failure = navigation.failure();
  if (failure !== undefined) throw new Error(failure.reason);
}

/** Runs in the page. */
function readyStateOf(): string {
  return document.readyState;
}

/** Waits until the document is read to its end, or all that it loads is there. Throws a TimeoutError. */
async function waitForState(
  page: Page,
  navigation: NavigationWatch,
  state: 'domcontentloaded' | 'load',
  timeoutMs: number,
): Promise<void> {
  const endAt = Date.now() + timeoutMs;
  const reached = page.waitForLoadState(state, { timeout: timeoutMs });
  // Whoever stops waiting for it has no use for its failure.
  reached.catch(() => undefined);
  await Promise.race([reached, navigation.whenStalled(timeoutMs)]);
  throwFailure(navigation);
  if (!navigation.hasStayed()) return reached;
  for (;;) {
    const readyState = await page.evaluate(readyStateOf);
    if (readyState === 'complete' || (readyState === 'interactive' && state === 'domcontentloaded')) return;
    if (Date.now() >= endAt) throw new errors.TimeoutError(`the document is ${readyState}`);
    await sleep(READY_POLL_MS);
  }
}

/** Whether the document has all elements that its source has, but for those that scripts turn off. Runs in the page. */
function hasElementsOf(source: string): boolean {
  const whole = new DOMParser().parseFromString(source, 'text/html');
  return document.querySelectorAll('*').length >= whole.querySelectorAll(':not(noscript *)').length;
}

/** Throws for a page that its own script broke off on the way to what is no page, and that so lost its rest. */
async function requireWhole(page: Page, navigation: NavigationWatch): Promise<void> {
  if (!navigation.isCutOff()) return;
  const source = await navigation.lastResponse()?.text();
  if (source !== undefined && (await page.evaluate(hasElementsOf, source))) return;
  throw new AppError('fetch_failed', {
    detail: "the page's script broke it off to go to what is no page",
    hint: 'Without useBrowser its script does not run.',
    retryable: false,
  });
}

/** A page that never ends loading is read as it stands. */
async function waitForLoad(page: Page, navigation: NavigationWatch, deadlineAt: number): Promise<void> {
  try {
    await waitForState(page, navigation, 'load', Math.min(LOAD_PATIENCE_MS, remaining(deadlineAt) / 2));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
  }
}

/** Waits for what the page itself goes to at once: a refresh without delay is a redirect of the page's own. */
async function waitForRefresh(page: Page, navigation: NavigationWatch, deadlineAt: number): Promise<void> {
  if (navigation.isPending()) return;
  const header = navigation.lastResponse()?.headers()['refresh'];
  const delayMs = readRefreshDelayMs(header) ?? readRefreshDelayMs(await page.evaluate(refreshOf));
  if (delayMs === undefined || delayMs >= MAX_REFRESH_DELAY_MS) return;
  await navigation.whenStarted(Math.min(delayMs + REFRESH_PATIENCE_MS, remaining(deadlineAt)));
}

function tooManyRedirects(): AppError {
  return new AppError('fetch_failed', { detail: `more than ${MAX_REDIRECTS} redirects`, retryable: false });
}

/**
 * Runs `step` on the page's document, and again on each document that takes its place meanwhile. Throws when it
 * goes on more often than redirects may, and what the last document failed with.
 */
async function onLastDocument<Result>(
  page: Page,
  navigation: NavigationWatch,
  deadlineAt: number,
  step: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    if (navigation.count() > MAX_REDIRECTS + 1) throw tooManyRedirects();
    await navigation.whenCommitted(remaining(deadlineAt));
    throwFailure(navigation);
    const seen = navigation.count();
    try {
      await waitForState(page, navigation, 'domcontentloaded', remaining(deadlineAt));
      const result = await step();
      if (navigation.count() === seen) return result;
    } catch (error) {
      // What was begun may be told of a moment later than its consequences.
      if (isInterruption(error)) await navigation.whenStarted(REFRESH_PATIENCE_MS);
      if (!isInterruption(error) || navigation.count() === seen) throw error;
    }
  }
}

/** Loads a URL in a page, waits as configured, and reads what the page has become. Throws AppError. */
export async function loadPage(page: Page, options: LoadOptions): Promise<HttpResponse> {
  const { url, config, deadlineAt, route } = options;
  const navigation = watchNavigation(page, options.onFirstAnswer);

  const wait = async (): Promise<void> => {
    const response = navigation.lastResponse();
    if (response !== undefined && isProxyFailure(response.status()))
      throw proxyFailure(options, response.url());
    await requireWhole(page, navigation);
    if (config.waitForBrowser === undefined) {
      await waitForLoad(page, navigation, deadlineAt);
      await waitForRefresh(page, navigation, deadlineAt);
    } else await waitForSelector(page, config.waitForBrowser, deadlineAt);
  };

  const read = async (): Promise<HttpResponse> => {
    const response = navigation.lastResponse();
    if (response === undefined)
      throw new AppError('fetch_failed', { detail: 'the page gave no answer', retryable: true });
    if (isProxyFailure(response.status())) throw proxyFailure(options, response.url());
    if (countRedirects(response) > MAX_REDIRECTS) throw tooManyRedirects();
    const finalUrl = page.url();
    if (!/^https?:/.test(finalUrl)) {
      throw new AppError('fetch_failed', { detail: 'the page left http and https', retryable: false });
    }
    return readAnswer(page, response, finalUrl, options.maxDecodedBytes);
  };

  try {
    try {
      await page.goto(url.href, {
        waitUntil: 'commit',
        timeout: remaining(deadlineAt),
        referer: options.referer,
      });
    } catch (error) {
      if (!isInterruption(error) || navigation.count() < 2) throw error;
    }
    await onLastDocument(page, navigation, deadlineAt, wait);
    if (config.waitSeconds !== undefined && config.waitSeconds > 0) {
      const waitMs = config.waitSeconds * 1_000;
      if (waitMs >= remaining(deadlineAt)) throw timedOut();
      await sleep(waitMs, undefined, { signal: options.signal });
    }
    return await onLastDocument(page, navigation, deadlineAt, read);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const failedUrl = navigation.failure()?.url ?? url.href;
    throw refusalOf(route, failedUrl) ?? toNavigationFailure(error, options.isProxied);
  }
}

function proxyFailure({ route, isProxied }: LoadOptions, url: string): AppError {
  const detail = 'the target could not be reached';
  const fault = isProxied
    ? new ProxyFault('fetch_failed', { detail })
    : new AppError('fetch_failed', { detail });
  return refusalOf(route, url) ?? fault;
}

async function readAnswer(
  page: Page,
  response: Response,
  finalUrl: string,
  maxBytes: number,
): Promise<HttpResponse> {
  const headers = response.headers();
  const contentType = headers['content-type'] ?? '';
  const status = response.status();
  if (status < 400) requirePageType(contentType);
  if (!isHtmlType(mediaType(contentType))) {
    const body = await response.body();
    if (body.length > maxBytes) throw tooLarge(maxBytes);
    return { finalUrl, status, headers, contentType, body };
  }
  const html = await page.evaluate(serialize, maxBytes);
  if (html === null) throw tooLarge(maxBytes);
  const isEmpty = html === EMPTY_DOCUMENT && (await cameEmpty(response));
  const body = Buffer.from(isEmpty ? '' : html, 'utf8');
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return { finalUrl, status, headers, contentType: 'text/html; charset=utf-8', body };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('fetch_failed', {
    detail: `the page is larger than ${maxBytes} bytes`,
    retryable: false,
  });
}
