/** Gives the host's place back; call it exactly once. */
export type LeaveHost = () => void;

export interface HostWait {
  deadlineAt: number;
  /** A pause that ends later is not waited for. Default: the deadline. */
  pauseDeadlineAt?: number;
  signal: AbortSignal;
}

/** How hard one host may be asked, over all workers that share the same implementation. */
export interface Politeness {
  /**
   * Takes a turn at the host. `undefined` means: go on, nothing to give back (the usual case, and free). Throws
   * `fetch_failed`, retryable and with `Retry-After`, when no turn can come before the deadline.
   */
  enter(host: string, wait: HostWait): Promise<LeaveHost | undefined> | undefined;
  /** The target asked for a pause: nobody asks this host before it is over. */
  slowDown(host: string, pauseMs: number): void;
  close(): Promise<void>;
}
