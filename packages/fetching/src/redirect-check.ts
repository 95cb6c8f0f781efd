import { AppError, shortenText } from '@gleaner/contracts';
import { withoutHash } from './egress/target-url.ts';

/** The page redirects to an address that its caller does not follow. */
export class RedirectRefusedError extends AppError {
  /** Where the redirect leads. */
  readonly target: string;

  constructor({ href }: URL) {
    super('fetch_failed', {
      detail: `the page redirects to ${shortenText(href, 500)}, which is not to be fetched`,
      retryable: false,
    });
    this.target = href;
  }
}

/** Throws when a redirect to the URL must not be followed. Called before a request is sent there. */
export type RedirectCheck = (url: URL) => Promise<void>;

/**
 * Asks `mayFollow` and `check` about each redirect to another address than the requested one.
 * @returns undefined when nobody wants to be asked
 */
export function createRedirectCheck(
  requested: URL,
  mayFollow: ((url: URL) => boolean) | undefined,
  check: RedirectCheck | undefined,
): RedirectCheck | undefined {
  if (mayFollow === undefined && check === undefined) return undefined;
  return async (url) => {
    if (withoutHash(url.href) === withoutHash(requested.href)) return;
    if (mayFollow?.(url) === false) throw new RedirectRefusedError(url);
    await check?.(url);
  };
}
