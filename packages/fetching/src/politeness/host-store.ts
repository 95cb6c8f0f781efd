/** The most pauses that one listing returns: every worker polls once a second, and a tenant can pause many hosts. */
export const LISTED_PAUSES = 10_000;

export interface HostPause {
  host: string;
  accountId: string;
  leftMs: number;
}

/** The starts of requests to a host, and which of them run. */
export interface StartStore {
  /**
   * Books the next start of that name, `intervalMs` after the previous one. Returns the milliseconds until then; when
   * they are more than `maxWaitMs`, nothing was booked.
   */
  bookStart(name: string, intervalMs: number, maxWaitMs: number): Promise<number>;
  /** Takes one of `slots` for at most `leaseMs`. Returns its token, or `undefined` when all are taken. */
  takeSlot(host: string, slots: number, leaseMs: number): Promise<string | undefined>;
  releaseSlot(host: string, slot: string): Promise<void>;
}

/** The state that all workers share about a host. It is stored outside the workers and uses one clock. */
export interface HostStore extends StartStore {
  /** `host` asked the account to send nothing for the next `pauseMs`. A longer pause stays in force. */
  pause(host: string, accountId: string, pauseMs: number): Promise<void>;
  /** The pauses that last now: the `LISTED_PAUSES` longest ones. */
  listPauses(): Promise<readonly HostPause[]>;
}

/** Beyond this number of hosts, those whose next start is over are forgotten. */
const MAX_IDLE = 10_000;

/** The starts of this process alone. */
export function createLocalStarts(now: () => number): StartStore {
  const nextStarts = new Map<string, number>();
  const running = new Map<string, number>();
  const forgetOld = (): void => {
    for (const [name, at] of nextStarts) if (at <= now()) nextStarts.delete(name);
  };
  return {
    bookStart: async (name, intervalMs, maxWaitMs) => {
      const waitMs = Math.max(0, (nextStarts.get(name) ?? 0) - now());
      if (waitMs > maxWaitMs) return waitMs;
      if (nextStarts.size > MAX_IDLE) forgetOld();
      nextStarts.set(name, now() + waitMs + intervalMs);
      return waitMs;
    },
    takeSlot: async (host, slots) => {
      const count = running.get(host) ?? 0;
      if (count >= slots) return undefined;
      running.set(host, count + 1);
      return 'local';
    },
    releaseSlot: async (host) => {
      const count = running.get(host) ?? 0;
      if (count > 1) running.set(host, count - 1);
      else running.delete(host);
    },
  };
}
