import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ScrapeConfig } from '@gleaner/contracts';
import type { Page, Response } from 'playwright';
import { isProxyFailure, type ProxyRoute } from '../egress/guard-proxy.ts';
import { mediaType, requirePageType } from '../http/content-type.ts';
import { timedOut } from '../http/fetch-failure.ts';
import type { HttpAnswer } from '../http/http-engine.ts';
import { ProxyFault } from '../proxies/proxy-fault.ts';
import { toNavigationFailure } from './navigation-failure.ts';

const MAX_REDIRECTS = 10;
/** After its document is complete a page gets this long for what it still loads. */
const LOAD_PATIENCE_MS = 10_000;

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

const remaining = (deadlineAt: number): number => {
  const ms = deadlineAt - Date.now();
  if (ms <= 0) throw timedOut();
  return ms;
};

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));

const refusalOf = (route: ProxyRoute, url: string): AppError | undefined => {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return route.takeRefusal(parsed.hostname, portOf(parsed));
};

const countRedirects = (response: Response): number => {
  let count = 0;
  for (
    let request = response.request().redirectedFrom();
    request !== null;
    request = request.redirectedFrom()
  ) {
    count += 1;
  }
  return count;
};

const isHtml = (type: string): boolean =>
  type === '' || type === 'text/html' || type === 'application/xhtml+xml';

/** The document as it stands now, `null` when it is longer than allowed. Runs in the page. */
const serialize = (maxLength: number): string | null => {
  const { doctype, documentElement } = document;
  const html =
    (doctype === null ? '' : new XMLSerializer().serializeToString(doctype)) +
    (documentElement?.outerHTML ?? '');
  return html.length > maxLength ? null : html;
};

const waitForSelector = async (page: Page, selector: string, deadlineAt: number): Promise<void> => {
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
};

/** A page that never ends loading is read as it stands. */
const waitForLoad = async (page: Page, deadlineAt: number): Promise<void> => {
  try {
    const timeout = Math.min(LOAD_PATIENCE_MS, remaining(deadlineAt) / 2);
    await page.waitForLoadState('load', { timeout });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
  }
};

/** Loads a URL in a page, waits as configured, and reads what the page has become. Throws AppError. */
export const loadPage = async (page: Page, options: LoadOptions): Promise<HttpAnswer> => {
  const { url, config, deadlineAt, route } = options;
  let failedUrl = url.href;
  let last: Response | null = null;
  let hasAnswered = false;
  page.on('requestfailed', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) failedUrl = request.url();
  });
  page.on('response', (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      last = response;
      // Not at a redirect: its next hop is being looked at right now.
      if (!hasAnswered && (response.status() < 300 || response.status() >= 400)) {
        hasAnswered = true;
        options.onFirstAnswer();
      }
    }
  });

  try {
    const first = await page.goto(url.href, {
      waitUntil: 'domcontentloaded',
      timeout: remaining(deadlineAt),
      referer: options.referer,
    });
    if (first !== null && isProxyFailure(first.status())) throw proxyFailure(options, first.url());
    if (config.waitForBrowser === undefined) await waitForLoad(page, deadlineAt);
    else await waitForSelector(page, config.waitForBrowser, deadlineAt);
    if (config.waitSeconds !== undefined && config.waitSeconds > 0) {
      const waitMs = config.waitSeconds * 1_000;
      if (waitMs >= remaining(deadlineAt)) throw timedOut();
      await sleep(waitMs, undefined, { signal: options.signal });
    }
    const response: Response | null = last ?? first;
    if (response === null)
      throw new AppError('fetch_failed', { detail: 'the page gave no answer', retryable: true });
    if (isProxyFailure(response.status())) throw proxyFailure(options, response.url());
    if (countRedirects(response) > MAX_REDIRECTS) {
      throw new AppError('fetch_failed', {
        detail: `more than ${MAX_REDIRECTS} redirects`,
        retryable: false,
      });
    }
    const finalUrl = page.url();
    if (!/^https?:/.test(finalUrl)) {
      throw new AppError('fetch_failed', { detail: 'the page left http and https', retryable: false });
    }
    return await readAnswer(page, response, finalUrl, options.maxDecodedBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refusalOf(route, failedUrl) ?? toNavigationFailure(error, options.isProxied);
  }
};

const proxyFailure = ({ route, isProxied }: LoadOptions, url: string): AppError => {
  const detail = 'the target could not be reached';
  const fault = isProxied
    ? new ProxyFault('fetch_failed', { detail })
    : new AppError('fetch_failed', { detail });
  return refusalOf(route, url) ?? fault;
};

const readAnswer = async (
  page: Page,
  response: Response,
  finalUrl: string,
  maxBytes: number,
): Promise<HttpAnswer> => {
  const headers = response.headers();
  const contentType = headers['content-type'] ?? '';
  const status = response.status();
  if (status < 400) requirePageType(contentType);
  if (!isHtml(mediaType(contentType))) {
    const body = await response.body();
    if (body.length > maxBytes) throw tooLarge(maxBytes);
    return { finalUrl, status, headers, contentType, body };
  }
  const html = await page.evaluate(serialize, maxBytes);
  if (html === null) throw tooLarge(maxBytes);
  const body = Buffer.from(html, 'utf8');
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return { finalUrl, status, headers, contentType: 'text/html; charset=utf-8', body };
};

const tooLarge = (maxBytes: number): AppError =>
  new AppError('fetch_failed', { detail: `the page is larger than ${maxBytes} bytes`, retryable: false });
