import { AppError } from '@gleaner/contracts';
import type { ExchangeOptions, ExchangeResponse } from './exchange.ts';
import { timedOut } from './fetch-failure.ts';

/** Node keeps one list per timer duration. Rounding up lets thousands of requests share a few lists. */
const TIMER_STEP_MS = 250;

/** The most interim answers (100 Continue, 103 Early Hints) before the answer; no limit on bytes counts them. */
export const MAX_INTERIM = 64;

export function onlyInterim(): AppError {
  return new AppError('fetch_failed', {
    detail: `the target sent more than ${MAX_INTERIM} interim answers`,
    retryable: false,
  });
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The fetch was cancelled', 'AbortError');
}

/** The caller's side of an exchange: it ends once, with a response, a failure, the deadline or the caller's signal. */
export function createEnding(
  { deadlineAt, signal }: ExchangeOptions,
  resolve: (response: ExchangeResponse) => void,
  /** Also stops the request, when it still runs. */
  reject: (error: Error) => void,
) {
  let isOver = false;
  const once = <Value>(end: (value: Value) => void) => {
    return (value: Value): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      end(value);
    };
  };
  const fail = once(reject);
  const onAbort = (): void => fail(asError(signal?.reason));
  const remainingMs = deadlineAt - Date.now();
  const timer = setTimeout(
    () => fail(timedOut()),
    remainingMs > 2_000 ? Math.ceil(remainingMs / TIMER_STEP_MS) * TIMER_STEP_MS : remainingMs,
  );
  signal?.addEventListener('abort', onAbort);
  if (remainingMs <= 0) fail(timedOut());
  else if (signal?.aborted === true) onAbort();
  return { isOver: () => isOver, finish: once(resolve), fail };
}
