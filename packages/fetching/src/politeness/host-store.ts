/** The most pauses that one listing returns: every worker polls once a second, and a tenant can pause many hosts. */
export const LISTED_PAUSES = 10_000;

/** The state that all workers share about a host. It is stored outside the workers and uses one clock. */
export interface HostStore {
  /** No worker sends requests to `host` for the next `pauseMs`. A longer pause stays in force. */
  pause(host: string, pauseMs: number): Promise<void>;
  /** Hosts that are paused now, with the remaining time: the `LISTED_PAUSES` longest ones. */
  listPauses(): Promise<readonly { host: string; leftMs: number }[]>;
  /** Books the next start at the host, `intervalMs` after the previous one. Returns the milliseconds until then. */
  bookStart(host: string, intervalMs: number): Promise<number>;
  /** Takes one of `slots` for at most `leaseMs`. Returns its token, or `undefined` when all are taken. */
  takeSlot(host: string, slots: number, leaseMs: number): Promise<string | undefined>;
  releaseSlot(host: string, slot: string): Promise<void>;
}
