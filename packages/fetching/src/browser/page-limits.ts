import { AppError } from '@gleaner/contracts';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import { timedOut } from '../http/fetch-failure.ts';
import type { BrowserRequest } from './browser-types.ts';
import { toNavigationFailure } from './navigation-failure.ts';
import { atDeadline } from './page-deadline.ts';

/** A page with its subresources may transfer this many times `maxDecodedBytes`. */
const PAGE_BYTES_FACTOR = 8;
const WATCH_EVERY_MS = 500;

/** The limits of one page: its time, its bytes, and its caller's signal. */
export interface PageLimits {
  /** Why the page failed: the limit that closed it, or the meaning of Playwright's error. */
  failureOf(error: unknown): unknown;
  lift(): void;
}

/** Calls `close` when the page reaches one of its limits. */
export function limitPage(
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
