import { AppError, type Redirected } from '@gleaner/contracts';

/** The host can't take this request before its deadline. An immediate retry would wait for the same host again. */
export class HostBusyError extends AppError {
  /** Whether the request waits for its turn under a limit. Then the host is not down, and the turn comes. */
  readonly isPaced: boolean;
  /** Whether its own run keeps that pace, and other pages of the run at the host wait for the same reason. */
  readonly isOwnPace: boolean;

  constructor(
    detail: string,
    { waitMs, isPaced, isOwnPace = false }: { waitMs: number; isPaced: boolean; isOwnPace?: boolean },
  ) {
    super('fetch_failed', { detail, retryable: true, retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    this.isPaced = isPaced;
    this.isOwnPace = isOwnPace;
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

/** What a run asks of each host, by which its pages wait there. */
type PaceRule = 'hostDelaySeconds' | 'hostConcurrency';

/** Why pages of a run wait for a host: equal for all of them. @param host with its port */
export function paceReason(rule: PaceRule, host: string): string {
  return `${rule} of ${host}`;
}

/** Other pages of its run come first at the host. */
export function ownPaceError(rule: PaceRule, host: string, waitMs: number): HostBusyError {
  return new HostBusyError(paceReason(rule, host), { waitMs, isPaced: true, isOwnPace: true });
}

/** The state that paces a run's pages over all workers is unavailable. */
export function paceAwayError(host: string, waitMs: number): HostBusyError {
  return new HostBusyError(`the shared state of ${host}`, { waitMs, isPaced: true });
}

/** A redirect that only its own page can follow waits there for its turn. */
export function redirectPaceError(host: string): AppError {
  return new AppError('fetch_failed', {
    detail: `hostDelaySeconds of ${host} leaves a redirect no turn before the deadline`,
    hint: 'Give timeoutSeconds more than hostDelaySeconds, or the address to which the page redirects.',
    retryable: false,
  });
}
