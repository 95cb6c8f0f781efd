/** The most pauses that one listing returns: every worker polls once a second, and a tenant can pause many hosts. */
export const LISTED_PAUSES = 10_000;

export interface HostPause {
  host: string;
  accountId: string;
  leftMs: number;
}

/** What a claim gave: the turn to ask, or how long it takes until it can be claimed. */
export type Claim =
  | { token: number }
  /**
   * isHeld: whoever has the turn has not sent its request yet; `waitMs` is the longest that this may last. isKept: it keeps the
   * turn for its further requests.
   */
  | { token: undefined; waitMs: number; isHeld: boolean; isKept?: boolean };

export interface ClaimOptions {
  /** How long the holder keeps the turn for further requests. Default 0: for one. */
  keepMs?: number;
  /** The token by which it has the turn already. */
  held?: number | undefined;
}

/** Whose turn it is to ask a host, and which requests to it run. */
export interface StartStore {
  /** How long a request may take to leave: the host counts as just asked meanwhile. */
  readonly holdMs: number;
  /**
   * Takes the turn of that name when its last request left `intervalMs` ago. Until `sent`, or for `holdMs` when its holder dies, the
   * host counts as just asked; it does `keepMs` longer when the turn is kept.
   */
  claimStart(name: string, intervalMs: number, options?: ClaimOptions): Promise<Claim>;
  /** The request of the claim has left: the next one may follow after `intervalMs`. */
  sent(name: string, token: number, intervalMs: number): Promise<void>;
  /** Takes up to `wanted` of `slots` for at most `leaseMs`. Returns their tokens: none when all are taken. */
  takeSlots(name: string, slots: number, wanted: number, leaseMs: number): Promise<string[]>;
  releaseSlots(name: string, tokens: readonly string[]): Promise<void>;
}

/** What `holdMs` is: longer than connecting may take, in a browser too. */
export const HOLD_MS = 15_000;

/** The state that all workers share about a host. It is stored outside the workers and uses one clock. */
export interface HostStore extends StartStore {
  /** `host` asked the account to send nothing for the next `pauseMs`. A longer pause stays in force. */
  pause(host: string, accountId: string, pauseMs: number): Promise<void>;
  /** The pauses that last now: the `LISTED_PAUSES` longest ones. */
  listPauses(): Promise<readonly HostPause[]>;
}

/** Beyond this number of hosts, those whose turn is free are forgotten. */
const MAX_IDLE = 10_000;

/** The starts of this process alone. */
export function createLocalStarts(now: () => number): StartStore {
  const turns = new Map<string, { freeAt: number; token: number }>();
  const running = new Map<string, number>();
  let claims = 0;
  const forgetFree = (): void => {
    for (const [name, { freeAt }] of turns) if (freeAt <= now()) turns.delete(name);
  };
  return {
    holdMs: HOLD_MS,
    claimStart: async (name, intervalMs, { keepMs = 0, held } = {}) => {
      const { freeAt = 0, token: known = 0 } = turns.get(name) ?? {};
      if (freeAt > now() && known !== held)
        return { token: undefined, waitMs: freeAt - now(), isHeld: known !== 0, isKept: known < 0 };
      if (turns.size > MAX_IDLE) forgetFree();
      claims += 1;
      const token = keepMs > 0 ? -claims : claims;
      turns.set(name, { freeAt: now() + HOLD_MS + intervalMs + keepMs, token });
      return { token };
    },
    sent: async (name, token, intervalMs) => {
      if (turns.get(name)?.token === token) turns.set(name, { freeAt: now() + intervalMs, token: 0 });
    },
    takeSlots: async (name, slots, wanted) => {
      const count = running.get(name) ?? 0;
      const taken = Math.max(0, Math.min(wanted, slots - count));
      if (taken > 0) running.set(name, count + taken);
      return Array.from({ length: taken }, () => 'local');
    },
    releaseSlots: async (name, { length }) => {
      const count = (running.get(name) ?? 0) - length;
      if (count > 0) running.set(name, count);
      else running.delete(name);
    },
  };
}
