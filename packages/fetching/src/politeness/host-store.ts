/** As many as a worker keeps: every one of them asks every second, and one account's hosts may be any number. */
export const LISTED_PAUSES = 10_000;

/** What workers must agree on about a host: kept outside of any of them, on one clock. */
export interface HostStore {
  /** Nobody asks `host` for the next `pauseMs`; a longer pause stays. */
  pause(host: string, pauseMs: number): Promise<void>;
  /** Hosts that are paused now, with what is left of it: the `LISTED_PAUSES` that last longest. */
  listPauses(): Promise<readonly { host: string; leftMs: number }[]>;
  /** Books the next start at the host, `intervalMs` after the one before, and gives how long it is until then. */
  bookStart(host: string, intervalMs: number): Promise<number>;
  /** Takes one of `places` for at most `leaseMs`; `undefined` when all are taken. */
  takeSlot(host: string, places: number, leaseMs: number): Promise<string | undefined>;
  releaseSlot(host: string, place: string): Promise<void>;
}
