import { AppError } from '@gleaner/contracts';

/** The host can't take this request before its deadline. An immediate retry would wait for the same host again. */
export class HostBusyError extends AppError {
  /** Whether the request waits for its turn under a limit. Then the host is not down, and the turn comes. */
  readonly isPaced: boolean;

  constructor(detail: string, { waitMs, isPaced }: { waitMs: number; isPaced: boolean }) {
    super('fetch_failed', { detail, retryable: true, retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    this.isPaced = isPaced;
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
