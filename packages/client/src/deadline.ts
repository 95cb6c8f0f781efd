/**
 * A signal that ends a request: after the caller's abort, at the time limit, or immediately.
 * @param ms limit; absent: none
 */
export function startDeadline(ms: number | undefined, caller: AbortSignal | undefined) {
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
    hasPassed: (): boolean => isLate,
    abort: (): void => controller.abort(),
    /** Removes the time limit. The caller's signal stays active. */
    lift: (): void => clearTimeout(timer),
    /** Removes both. */
    close: (): void => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}
