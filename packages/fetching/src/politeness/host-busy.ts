import { AppError } from '@gleaner/contracts';

/** No turn at a host comes in time. Waiting for it and trying again here would be the wait that was refused. */
export class HostBusyError extends AppError {}

function noTurn(detail: string, waitMs: number): HostBusyError {
  return new HostBusyError('fetch_failed', {
    detail,
    retryable: true,
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}

/** The host asked for a pause that outlasts the request. */
export function pausedError(host: string, waitMs: number): HostBusyError {
  return noTurn(`${host} asked to be left alone for ${Math.ceil(waitMs / 1_000)} more seconds`, waitMs);
}

/** The limits set for one host leave no turn before the request ends. */
export function limitError(host: string, waitMs: number): HostBusyError {
  return noTurn(`no turn at ${host} comes in time: its limit of requests is reached`, waitMs);
}
