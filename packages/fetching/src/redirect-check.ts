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

/** A redirect of the plain client. */
export interface RedirectHop {
  /** Whether a GET without a body follows it. */
  isPlain: boolean;
  /** The `Cookie` header of what was set so far, for that address. */
  cookies: string;
}

/**
 * Throws when a redirect to the URL must not be followed. Called before a request is sent there.
 * @param hop absent in a browser
 */
export type RedirectCheck = (url: URL, hop?: RedirectHop) => Promise<void>;

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
