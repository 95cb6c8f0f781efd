import { AppError } from '@gleaner/contracts';

/** The host can't take this request before its deadline. An immediate retry would wait for the same host again. */
export class HostBusyError extends AppError {}

function busy(detail: string, waitMs: number): HostBusyError {
  return new HostBusyError('fetch_failed', {
    detail,
    retryable: true,
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}

/** The host asked for a pause that outlasts the request. */
export function pausedError(host: string, waitMs: number): HostBusyError {
  return busy(`${host} asked for a pause of ${Math.ceil(waitMs / 1_000)} more seconds`, waitMs);
}

/** The operator's limits for one host leave no slot before the request's deadline. */
export function limitError(host: string, waitMs: number): HostBusyError {
  return busy(`the request limit for ${host} leaves no free slot before the deadline`, waitMs);
}
