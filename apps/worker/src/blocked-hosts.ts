import { LRUCache } from 'lru-cache';

/** Attempts are counted in windows of this length; the last two count. */
const WINDOW_MS = 300_000;
const MAX_HOSTS = 2_000;
/** Fewer attempts say nothing. */
const LEAST_ATTEMPTS = 20;

interface Tally {
  attempts: number;
  blocked: number;
}

export interface BlockedHosts {
  note(host: string, isBlocked: boolean): void;
  /** Hosts that blocked more than half of their attempts within 5 to 10 minutes. */
  count(): number;
}

/**
 * Counts hosts that block this worker. Memory is bounded, and metrics carry only the number: host names of all accounts
 * as labels would grow without bound, and `/metrics` would show them to everybody who can read it.
 * @param onBlocked called once per window for a host that blocks most attempts
 */
export function createBlockedHosts(
  onBlocked: (host: string, tally: Readonly<Tally>) => void,
  now: () => number = Date.now,
): BlockedHosts {
  let current = new LRUCache<string, Tally>({ max: MAX_HOSTS });
  let previous = current;
  let reported = new Set<string>();
  let since = now();

  const rotate = (): void => {
    const elapsed = now() - since;
    if (elapsed < WINDOW_MS) return;
    previous = elapsed < 2 * WINDOW_MS ? current : new LRUCache({ max: MAX_HOSTS });
    current = new LRUCache({ max: MAX_HOSTS });
    reported = new Set();
    since = now();
  };
  const tallyOf = (host: string): Tally => {
    const [one, other] = [current.peek(host), previous === current ? undefined : previous.peek(host)];
    return {
      attempts: (one?.attempts ?? 0) + (other?.attempts ?? 0),
      blocked: (one?.blocked ?? 0) + (other?.blocked ?? 0),
    };
  };
  const isBlocking = ({ attempts, blocked }: Tally): boolean =>
    attempts >= LEAST_ATTEMPTS && blocked > attempts / 2;

  return {
    note: (host, isBlocked) => {
      rotate();
      const { attempts, blocked } = current.get(host) ?? { attempts: 0, blocked: 0 };
      current.set(host, { attempts: attempts + 1, blocked: blocked + (isBlocked ? 1 : 0) });
      if (!isBlocked || reported.has(host) || reported.size >= MAX_HOSTS) return;
      const tally = tallyOf(host);
      if (!isBlocking(tally)) return;
      reported.add(host);
      onBlocked(host, tally);
    },
    count: () => {
      rotate();
      const hosts = new Set([...current.keys(), ...previous.keys()]);
      return [...hosts].filter((host) => isBlocking(tallyOf(host))).length;
    },
  };
}
