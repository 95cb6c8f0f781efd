import { AppError } from '@gleaner/contracts';
import { PG_ERRORS } from '@gleaner/db';
import type { Logger } from '../platform/log/log.ts';

/**
 * Postgres or the queue is unavailable: classes 08, 53 and 57P of the Postgres error codes, a server that became read-only,
 * a lock or a transaction that took too long or met another one (40), and connection errors.
 */
const UNAVAILABLE =
  /^(QUEUE_AWAY|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|CONNECTION_\w+|CONNECT_TIMEOUT|08\w{3}|53\w{3}|57P\w{2}|25006|25P04|40001|40P01|55P03)$/;

/** The string codes of an error and of its causes, outermost first. */
export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') codes.push(inner.code);
  }
  return codes;
}

/** Whether Postgres or the queue was unavailable, which is no failure of the work: it may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return !(error instanceof AppError) && codesOf(error).some((code) => UNAVAILABLE.test(code));
}

/**
 * A statement took too long, or `AbortSignal.timeout` ended the work. Another try may succeed, but one that is never fast
 * enough must be counted.
 */
function isTooSlow(error: unknown): boolean {
  const isOverTime = error instanceof DOMException && error.name === 'TimeoutError';
  return isOverTime || codesOf(error).includes(PG_ERRORS.queryCanceled);
}

/** Converts anything thrown to an error of the catalogue. Unknown errors become `internal`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return isUnavailable(error) || isTooSlow(error)
    ? new AppError('temporarily_unavailable', { retryAfterSeconds: 5, cause: error })
    : new AppError('internal', { cause: error });
}

/**
 * The error that a door sends its client for anything that a call threw. Logs each fault of the service once.
 * @param signal the call's signal, if the call was opened
 */
export function toCallFailure(
  error: unknown,
  {
    log,
    requestId,
    signal,
  }: { log: Pick<Logger, 'warn' | 'error'>; requestId: string; signal?: AbortSignal | undefined },
): AppError {
  // The key was revoked meanwhile, whatever came of the work then.
  if (signal?.aborted === true && signal.reason instanceof AppError) return signal.reason;
  // The client disconnected: no fault, and nobody reads the answer.
  const cause = error instanceof Error ? error.cause : undefined;
  if (signal?.aborted === true && [error, cause].includes(signal.reason))
    return new AppError('temporarily_unavailable', { detail: 'the client disconnected' });
  const failure = toAppError(error);
  if (failure.status === 503 && failure.options.retryable === false) {
    // Something that the operator has not configured: no fault, and no stack to look for.
    log.warn({ requestId, detail: failure.options.detail }, 'request refused');
  } else if (failure.code === 'internal' || failure.status === 503) {
    log[failure.code === 'internal' ? 'error' : 'warn'](
      { err: failure.options.cause ?? failure, requestId },
      'request failed',
    );
  }
  return failure;
}
