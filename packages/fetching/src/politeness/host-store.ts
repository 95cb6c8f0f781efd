/** The most pauses that one listing returns: every worker polls once a second, and a tenant can pause many hosts. */
export const LISTED_PAUSES = 10_000;

export interface HostPause {
  host: string;
  accountId: string;
  leftMs: number;
}

/** The state that all workers share about a host. It is stored outside the workers and uses one clock. */
export interface HostStore {
  /** `host` asked the account to send nothing for the next `pauseMs`. A longer pause stays in force. */
  pause(host: string, accountId: string, pauseMs: number): Promise<void>;
  /** The pauses that last now: the `LISTED_PAUSES` longest ones. */
  listPauses(): Promise<readonly HostPause[]>;
  /**
   * Books the next start of that name, `intervalMs` after the previous one. Returns the milliseconds until then; when
   * they are more than `maxWaitMs`, nothing was booked.
   */
  bookStart(name: string, intervalMs: number, maxWaitMs: number): Promise<number>;
  /** Takes one of `slots` for at most `leaseMs`. Returns its token, or `undefined` when all are taken. */
  takeSlot(host: string, slots: number, leaseMs: number): Promise<string | undefined>;
  releaseSlot(host: string, slot: string): Promise<void>;
}
