import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { Page } from 'playwright';
import { timedOut } from '../http/fetch-failure.ts';
import type { NavigationWatch } from './navigation-watch.ts';

/** The content of `<meta http-equiv="refresh">`. Runs in the page. */
function refreshOf(): string | undefined {
  return (
    document.querySelector('meta[http-equiv="refresh" i][content]')?.getAttribute('content') ?? undefined
  );
}

/** The delay of a refresh, from a meta's `content` or the header. The browser reads the URL itself. */
export function readRefreshDelayMs(refresh: string | undefined): number | undefined {
  const seconds = /^\s*(\d+|(?=\.))/.exec(refresh ?? '');
  return seconds === null ? undefined : Number(seconds[1]) * 1_000;
}

/** After its document is complete, a page has this long to finish loading its resources. */
const LOAD_PATIENCE_MS = 10_000;
/** A refresh with this delay or a shorter one is followed like a redirect. With a longer delay people read the page. */
const MAX_REFRESH_DELAY_MS = 5_000;
/** How late a refresh may start, or Playwright may report a document request. */
export const NAVIGATION_PATIENCE_MS = 500;
const READY_POLL_MS = 50;

/** Milliseconds until the deadline. Throws `fetch_timed_out` when it has passed. */
export function remainingMs(deadlineAt: number): number {
  const ms = deadlineAt - Date.now();
  if (ms <= 0) throw timedOut();
  return ms;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Waits for `waitForBrowser`. Throws `fetch_timed_out`, or `invalid_request` for an invalid selector. */
export async function waitForSelector(page: Page, selector: string, deadlineAt: number): Promise<void> {
  try {
    await page.waitForSelector(`css=${selector}`, { state: 'attached', timeout: remainingMs(deadlineAt) });
  } catch (error) {
    if (isTimeout(error)) {
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

/** Throws the last document's failure, if it has one. */
export function throwFailure(navigation: NavigationWatch): void {
  const failure = navigation.failure();
  if (failure !== undefined) throw new Error(failure.reason);
}

/** Runs in the page. */
function readyStateOf(): string {
  return document.readyState;
}

/** An error like Playwright's own: importing its class would load Playwright in workers that never open a browser. */
function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError' });
}

/** Waits until the document is parsed (`domcontentloaded`) or completely loaded (`load`). Throws a TimeoutError. */
export async function waitForState(
  page: Page,
  navigation: NavigationWatch,
  state: 'domcontentloaded' | 'load',
  timeoutMs: number,
): Promise<void> {
  const endAt = Date.now() + timeoutMs;
  const reached = page.waitForLoadState(state, { timeout: timeoutMs });
  // When the race below ends first, no code awaits `reached`, and its error must not go unhandled.
  reached.catch(() => undefined);
  await Promise.race([reached, navigation.whenStalled(timeoutMs)]);
  throwFailure(navigation);
  if (!navigation.hasStayed()) return reached;
  for (;;) {
    const readyState = await page.evaluate(readyStateOf);
    if (readyState === 'complete' || (readyState === 'interactive' && state === 'domcontentloaded')) return;
    if (Date.now() >= endAt) throw timeoutError(`the document is ${readyState}`);
    await sleep(READY_POLL_MS);
  }
}

/** Waits for the `load` event for a limited time. A page that never finishes loading is read as it is. */
export async function waitForLoad(
  page: Page,
  navigation: NavigationWatch,
  deadlineAt: number,
): Promise<void> {
  try {
    await waitForState(page, navigation, 'load', Math.min(LOAD_PATIENCE_MS, remainingMs(deadlineAt) / 2));
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
}

/** Waits until a refresh with a short delay has started. */
export async function waitForRefresh(
  page: Page,
  navigation: NavigationWatch,
  deadlineAt: number,
): Promise<void> {
  if (navigation.isPending()) return;
  const header = navigation.lastResponse()?.headers()['refresh'];
  const delayMs = readRefreshDelayMs(header) ?? readRefreshDelayMs(await page.evaluate(refreshOf));
  if (delayMs === undefined || delayMs > MAX_REFRESH_DELAY_MS) return;
  await navigation.whenStarted(Math.min(delayMs + NAVIGATION_PATIENCE_MS, remainingMs(deadlineAt)));
}
