import type { GleanerError } from './errors.ts';
import type { Route } from './route.ts';

const FIRST_DELAY_MS = 500;
const MOST_DELAY_MS = 8_000;
/** A longer `Retry-After` is for the caller to decide on. */
const MOST_RETRY_AFTER_SECONDS = 60;

/** Whether repeating the request can do no more than doing it once. */
function isRepeatable({ method, creates, isMetered }: Route): boolean {
  if (method === 'POST') return creates === true;
  return isMetered !== true;
}

/**
 * How long to wait before the next attempt, in milliseconds, or undefined when there should be none. What the service
 * refused (429) is always tried again when it says when. Anything else only when nothing can happen twice, and never
 * when the service says that the page could not be fetched: it has tried that again itself.
 * @param attempt from 0
 */
export function retryDelay(route: Route, error: GleanerError, attempt: number): number | undefined {
  const { status, code, retryAfterSeconds: wanted } = error;
  if (wanted !== undefined && wanted > MOST_RETRY_AFTER_SECONDS) return undefined;
  if (status === 429) return wanted === undefined ? undefined : wanted * 1000;
  const isFault = status === 0 || status === 408 || (status >= 500 && status !== 501);
  const isOfTarget = (status === 502 || status === 504) && code !== 'unexpected answer';
  if (!isFault || isOfTarget) return undefined;
  // An answer of 5xx says that nothing was charged; a lost connection says nothing.
  const mayRepeat = isRepeatable(route) || (route.method === 'GET' && status >= 500);
  if (!mayRepeat) return undefined;
  if (wanted !== undefined) return wanted * 1000;
  const most = Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return most / 2 + Math.random() * (most / 2);
}
