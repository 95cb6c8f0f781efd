import { performance } from 'node:perf_hooks';

export interface LoadResult {
  timesMs: number[];
  failures: number;
  perSecond: number;
}

/** Calls `action` over and over from `clients`, each of which waits for its answer before the next call. */
export async function closedLoop(
  { clients, withinMs }: { clients: number; withinMs: number },
  action: (index: number) => Promise<unknown>,
): Promise<LoadResult> {
  const timesMs: number[] = [];
  let failures = 0;
  let next = 0;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - startedAt < withinMs) {
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
  await Promise.all(Array.from({ length: clients }, client));
  return { timesMs, failures, perSecond: (timesMs.length / (performance.now() - startedAt)) * 1000 };
}
