/** A signal that ends a request: by the caller's own, when its time is up, or at once. */
export interface Deadline {
  readonly signal: AbortSignal;
  hasPassed(): boolean;
  abort(): void;
  /** Forgets the time limit; the caller's signal still counts. */
  lift(): void;
  /** Forgets both. */
  close(): void;
}

/** @param ms limit; absent: none */
export function startDeadline(ms: number | undefined, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isLate = false;
  const follow = (): void => controller.abort(caller?.reason);
  if (caller?.aborted === true) follow();
  caller?.addEventListener('abort', follow, { once: true });
  const timer =
    ms === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          controller.abort();
        }, ms);
  return {
    signal: controller.signal,
    hasPassed: () => isLate,
    abort: () => controller.abort(),
    lift: () => clearTimeout(timer),
    close: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}
