export interface PoolOptions {
  /** One owner has at most this many busy at once. */
  threads: number;
  /**
   * Threads beside these for owners that have none busy, so that the slow tasks of this many owners never keep another one
   * waiting. Default: 0.
   */
  spareThreads?: number;
  /** A task that takes more CPU time is killed with its thread; in any case after four times as long. Default 10,000. */
  timeoutMs?: number;
  /** The most waiting tasks; further ones are rejected with `temporarily unavailable`. Default 1,000. */
  maxQueue?: number;
  /**
   * The most waiting tasks of one owner; further ones are rejected with `concurrency limit exceeded`. Default: a quarter
   * of `maxQueue`, or all of it in the background.
   */
  maxQueuePerOwner?: number;
  /** Heap of one thread. Default 512. */
  maxHeapMb?: number;
  /** The most tasks per thread. 1 (default) gives the shortest waits; higher values keep threads busy in bulk work. */
  pipeline?: number;
  /** A thread that has had no task for about so long ends; the next task starts one again. Default: two minutes. */
  idleMs?: number;
  /** On Linux the threads run at a lower priority. */
  isBackground?: boolean;
  /**
   * Bodies of at least this size are moved to the thread instead of copied. Default: a megabyte. When another page ends
   * the thread, a copied page runs again, and a moved page is lost (`PageLostError`).
   */
  moveBytes?: number;
}

export interface Caller {
  /** The account, for a fair share of the threads. */
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}
