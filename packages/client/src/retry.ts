import type { GleanerError } from './errors.ts';
import type { Route } from './route.ts';

const FIRST_DELAY_MS = 500;
const MOST_DELAY_MS = 8_000;
/** A longer `Retry-After` ends the call, so that the caller can decide. */
const MOST_RETRY_AFTER_SECONDS = 60;

/** Whether the request is idempotent. */
function isRepeatable({ method, creates, isMetered }: Route): boolean {
  if (method === 'POST') return creates === true;
  return isMetered !== true;
}

/**
 * The wait before the next attempt in milliseconds; undefined when there should be none. A 429 with Retry-After is always
 * retried. Other failures are retried only if the request is idempotent, but never when the service could not fetch the
 * page, because the service already retried that.
 * @param attempt from 0
 */
export function retryDelay(route: Route, error: GleanerError, attempt: number): number | undefined {
  const { status, code, retryAfterSeconds: wanted } = error;
  if (wanted !== undefined && wanted > MOST_RETRY_AFTER_SECONDS) return undefined;
  if (status === 429) return wanted === undefined ? undefined : wanted * 1000;
  const isFault = status === 0 || status === 408 || (status >= 500 && status !== 501);
  const isOfTarget = (status === 502 || status === 504) && code !== 'unexpected answer';
  if (!isFault || isOfTarget) return undefined;
  // A 5xx response of the service means that nothing was charged; that of a proxy, or a lost connection, means nothing.
  const isOfService = status >= 500 && code !== 'unexpected answer';
  const mayRepeat = isRepeatable(route) || (route.method === 'GET' && isOfService);
  if (!mayRepeat) return undefined;
  if (wanted !== undefined) return wanted * 1000;
  const most = Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return most / 2 + Math.random() * (most / 2);
}
