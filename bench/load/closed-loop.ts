import { performance } from 'node:perf_hooks';

export interface LoadOptions {
  /** How many calls are under way at once. */
  concurrency: number;
  /** The loop ends at whichever comes first. */
  count: number;
  withinMs?: number;
  /** Calls whose times are thrown away. */
  warmUp?: number;
}

export interface LoadResult {
  timesMs: number[];
  failures: number;
  elapsedMs: number;
  perSecond: number;
}

/** Calls `action` over and over from `concurrency` clients, each waiting for its answer before the next call. */
export async function closedLoop(
  options: LoadOptions,
  action: (index: number) => Promise<unknown>,
): Promise<LoadResult> {
  const { concurrency, count, withinMs = Number.POSITIVE_INFINITY, warmUp = 0 } = options;
  for (let index = 0; index < warmUp; index += 1) await action(index);
  const timesMs: number[] = [];
  let failures = 0;
  let next = 0;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (next < count && performance.now() - startedAt < withinMs) {
      const index = next;
      next += 1;
      const calledAt = performance.now();
      try {
        await action(index);
        timesMs.push(performance.now() - calledAt);
      } catch {
        failures += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const elapsedMs = performance.now() - startedAt;
  return { timesMs, failures, elapsedMs, perSecond: (timesMs.length / elapsedMs) * 1000 };
}
