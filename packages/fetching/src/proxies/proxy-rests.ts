import { AppError, type AppErrorOptions } from '@gleaner/contracts';

/**
 * A failure of a request through a proxy before the target sent anything. It counts against the proxy, and a retry
 * may use another one.
 */
export class ProxyFault extends AppError {
  constructor(code: 'fetch_failed' | 'fetch_timed_out', options: AppErrorOptions) {
    super(code, { ...options, retryable: true });
  }
}

interface ProxyState {
  failures: number;
  rests: number;
  restsUntil: number;
}

const FAILURES_TO_REST = 3;
const FIRST_REST_MS = 30_000;
const MAX_REST_MS = 600_000;

const FRESH: ProxyState = { failures: 0, rests: 0, restsUntil: 0 };

export type ProxyRests = ReturnType<typeof createProxyRests>;

/** Tracks which of `count` proxies work. A failing one rests, longer each time, and returns on probation. */
export function createProxyRests(count: number, now: () => number = Date.now) {
  const records = Array.from({ length: count }, () => ({ ...FRESH }));
  let cursor = 0;
  const isResting = (index: number): boolean => (records[index]?.restsUntil ?? 0) > now();
  return {
    /**
     * The next fitting index that does not rest (round robin). When all rest, the index with the shortest remaining rest.
     */
    next: (fits: (index: number) => boolean): number | undefined => {
      const fitting = records.map((_record, step) => (cursor + step) % count).filter(fits);
      const restOf = (index: number): number => records[index]?.restsUntil ?? 0;
      const index =
        fitting.find((one) => !isResting(one)) ?? fitting.toSorted((a, b) => restOf(a) - restOf(b))[0];
      if (index !== undefined) cursor = index + 1;
      return index;
    },
    isResting,
    markGood: (index: number): void => {
      records[index] = { ...FRESH };
    },
    markBad: (index: number): void => {
      const record = records[index];
      if (record === undefined || isResting(index)) return;
      record.failures += 1;
      // After a rest one failure is enough.
      if (record.failures < FAILURES_TO_REST && record.rests === 0) return;
      record.restsUntil = now() + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** record.rests);
      record.rests += 1;
      record.failures = 0;
    },
    resting: (): number => records.filter((_record, index) => isResting(index)).length,
  };
}
