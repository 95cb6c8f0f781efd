/** A request that may be sent to its host. */
export interface HostVisit {
  /** Its bytes have left: the next request may follow. Further calls change nothing. */
  sent(): void;
  /** It has ended. Call it exactly once. */
  leave(): void;
}

/** A task of a run waits so long in its slot for its turn or its place. */
export const OWN_PATIENCE_MS = 2_000;

/** What a run asks of each host for itself. */
export interface OwnPace {
  run: string;
  /** The least time between two requests; 0: none. */
  delayMs: number;
  /** The most requests at once; 0: no limit. */
  concurrency: number;
}

export interface HostWait {
  accountId: string;
  deadlineAt: number;
  /** `enter` does not wait for a pause that ends later than this. Default: the deadline. */
  pauseDeadlineAt?: number;
  /** The host's own `Crawl-delay`: requests that have one start so far apart, over all accounts. */
  crawlDelayMs?: number;
  own?: OwnPace | undefined;
  /** It is a redirect of a request that the host, or another one, has let in. */
  isRedirect?: boolean;
  /** It can't be sent later by itself, so it waits for its turn until the deadline. */
  isBound?: boolean;
  /** The host has let in a request of the same page: its slot holds for this one too. */
  hasSlot?: boolean;
  signal: AbortSignal;
}
