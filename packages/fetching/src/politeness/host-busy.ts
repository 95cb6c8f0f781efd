import { AppError, type Redirected } from '@gleaner/contracts';

/** The host can't take this request before its deadline. An immediate retry would wait for the same host again. */
export class HostBusyError extends AppError {
  /** Whether the request waits for its turn under a limit. Then the host is not down, and the turn comes. */
  readonly isPaced: boolean;

  constructor(detail: string, { waitMs, isPaced }: { waitMs: number; isPaced: boolean }) {
    super('fetch_failed', { detail, retryable: true, retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    this.isPaced = isPaced;
  }
}

/** The host of a redirect can't take its request yet: the page goes on there later. */
export class RedirectBusyError extends HostBusyError {
  readonly redirected: Redirected;

  constructor({ message, isPaced, options }: HostBusyError, redirected: Redirected) {
    super(options.detail ?? message, { waitMs: (options.retryAfterSeconds ?? 0) * 1_000, isPaced });
    this.redirected = redirected;
  }
}

/** The host asked for a pause that outlasts the request. */
export function pausedError(host: string, waitMs: number): HostBusyError {
  return new HostBusyError(`${host} asked for a pause`, { waitMs, isPaced: false });
}

/** The operator's limits for one host leave no slot before the request's deadline. */
export function limitError(host: string, waitMs: number): HostBusyError {
  return new HostBusyError(`the request limit for ${host} leaves no free slot before the deadline`, {
    waitMs,
    isPaced: true,
  });
}

/** Other pages of crawls come first at a host that asks for a pause between them. */
export function crawlDelayError(host: string, crawlDelayMs: number, waitMs: number): HostBusyError {
  return new HostBusyError(`${host} asks crawlers for ${crawlDelayMs / 1_000} seconds between pages`, {
    waitMs,
    isPaced: true,
  });
}

/** Other pages of its run come first at the host, or the state that paces them is unavailable. @param rule `hostDelaySeconds` or another */
export function ownPaceError(rule: string, host: string, waitMs: number): HostBusyError {
  return new HostBusyError(`${rule} of ${host}`, { waitMs, isPaced: true });
}

/** A redirect that only its own page can follow waits there for its turn. */
export function redirectPaceError(host: string): AppError {
  return new AppError('fetch_failed', {
    detail: `hostDelaySeconds of ${host} leaves a redirect no turn before the deadline`,
    hint: 'Give timeoutSeconds more than hostDelaySeconds, or the address to which the page redirects.',
    retryable: false,
  });
}
