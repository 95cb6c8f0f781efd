/** Releases the host's slot. Call it exactly once. */
export type LeaveHost = () => void;

export interface HostWait {
  deadlineAt: number;
  /** `enter` does not wait for a pause that ends later than this. Default: the deadline. */
  pauseDeadlineAt?: number;
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
  /** The target asked for a pause: `enter` lets no request through before it is over. */
  slowDown(host: string, pauseMs: number): void;
  close(): Promise<void>;
}
