import { timedOut } from '../http/fetch-failure.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import type { BrowserRequest } from './browser-types.ts';

/** The step that is too slow has this long to name itself before the fetch ends with a general reason. */
export const REPORT_MS = 150;

/**
 * Calls `end` at the deadline. The last milliseconds are counted from when this process sees that they have begun:
 * when it was busy until after the deadline, the timer of the step that was too slow has still gone off before.
 * @returns a function that calls it off
 */
export function atDeadline(deadlineAt: number, end: () => void): () => void {
  let timer = setTimeout(
    () => {
      timer = setTimeout(end, REPORT_MS);
    },
    Math.max(0, deadlineAt - REPORT_MS - Date.now()),
  );
  return () => clearTimeout(timer);
}

/** What a page has given so far. It may take longer to close than its fetch has left. */
export interface PageResult {
  response?: HttpResponse;
  failure?: unknown;
}

/** Stops waiting at the deadline or cancellation. The work itself cleans up afterwards. */
export function untilOver(
  { deadlineAt, signal }: BrowserRequest,
  work: Promise<HttpResponse>,
  result: PageResult,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const cancelLimit = atDeadline(deadlineAt, () => {
      if (result.response === undefined) reject(result.failure ?? timedOut());
      else resolve(result.response);
    });
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
    });
  });
}
