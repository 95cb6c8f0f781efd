/** Releases the host's slot. Call it exactly once. */
export type LeaveHost = () => void;

export interface HostWait {
  accountId: string;
  deadlineAt: number;
  /** `enter` does not wait for a pause that ends later than this. Default: the deadline. */
  pauseDeadlineAt?: number;
  /** The host's own `Crawl-delay`: requests that have one start so far apart, over all accounts. */
  crawlDelayMs?: number;
  signal: AbortSignal;
}

/** Limits and pauses for each host, over all workers that share the same implementation. */
export interface Politeness {
  /**
   * Waits until the host may receive a request. Returns undefined when the request may start at once and holds no
   * slot to release (the usual case, which costs nothing). Throws HostBusyError (`fetch_failed`, retryable, with
   * `Retry-After`) when the request can't start before the deadline.
   */
  enter(host: string, wait: HostWait): Promise<LeaveHost | undefined> | undefined;
  /**
   * The host asked this account for a pause: `enter` lets none of its requests through before it is over. While two
   * accounts are asked, all accounts wait: one alone can't keep others from a host, and a host that is busy gets its
   * pause from all.
   */
  slowDown(host: string, accountId: string, pauseMs: number): void;
  close(): Promise<void>;
}
