import { setTimeout as sleep } from 'node:timers/promises';
import { crawlDelayError, limitError } from './host-busy.ts';
import type { HostStore } from './host-store.ts';
import type { HostWait } from './politeness.ts';

/** Beyond this number of hosts, those whose next start is over are forgotten. */
const MAX_IDLE = 10_000;

/** Books starts within this process. */
export function createStartBook(now: () => number) {
  const nextStarts = new Map<string, number>();
  const forgetOld = (): void => {
    for (const [name, at] of nextStarts) if (at <= now()) nextStarts.delete(name);
  };
  return async (name: string, intervalMs: number, maxWaitMs: number): Promise<number> => {
    const waitMs = Math.max(0, (nextStarts.get(name) ?? 0) - now());
    if (waitMs > maxWaitMs) return waitMs;
    if (nextStarts.size > MAX_IDLE) forgetOld();
    nextStarts.set(name, now() + waitMs + intervalMs);
    return waitMs;
  };
}

/** Waits as long as hosts ask crawlers to, and as the operator's limit on requests per second asks. Throws HostBusyError. */
export interface HostPace {
  waitForCrawlDelay(host: string, wait: HostWait): Promise<void>;
  waitForLimit(host: string, wait: HostWait): Promise<void>;
}

/** @param hostRequestsPerSecond 0: no limit */
export function createHostPace(
  bookStart: HostStore['bookStart'],
  hostRequestsPerSecond: number,
  now: () => number = Date.now,
): HostPace {
  const waitForStart = async (
    name: string,
    intervalMs: number,
    wait: HostWait,
    toError: (waitMs: number) => Error,
  ): Promise<void> => {
    const maxWaitMs = Math.max(0, wait.deadlineAt - now() - 1);
    const waitMs = await bookStart(name, intervalMs, maxWaitMs);
    if (waitMs > maxWaitMs) throw toError(waitMs);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: wait.signal });
  };
  return {
    waitForCrawlDelay: async (host, wait) => {
      const { crawlDelayMs = 0 } = wait;
      if (crawlDelayMs === 0) return;
      await waitForStart(`${host} crawl`, crawlDelayMs, wait, (waitMs) =>
        crawlDelayError(host, crawlDelayMs, waitMs),
      );
    },
    waitForLimit: async (host, wait) => {
      if (hostRequestsPerSecond === 0) return;
      await waitForStart(host, 1_000 / hostRequestsPerSecond, wait, (waitMs) => limitError(host, waitMs));
    },
  };
}
