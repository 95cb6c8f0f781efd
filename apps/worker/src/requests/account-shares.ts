/**
 * How the accounts share a worker's capacity for interactive requests. One account alone may use all of it. Beyond it
 * there is some room that only accounts below their even share may use, so a request of another account starts at once
 * even when one account's slow pages hold the whole capacity.
 */
export interface AccountShares {
  /**
   * Resolves with a function that ends the hold, or with null when the account must wait for longer than a moment: the
   * request goes back to the queue, so that those of other accounts come up.
   */
  enter(accountId: string): Promise<(() => void) | null>;
  /** The most requests that may run at once. */
  readonly total: number;
  /** How many more requests this process may take from the queue now. */
  room(): number;
}

interface Held {
  accountId: string;
  start: () => void;
}

/**
 * @param holdMs how long a request waits here for a slot before it goes back
 * @param onRoom called when there may be more room
 */
export function createAccountShares(
  capacity: number,
  holdMs: number,
  onRoom: () => void = () => undefined,
): AccountShares {
  const total = capacity + Math.max(1, Math.ceil(capacity / 4));
  const counts = new Map<string, number>();
  const held = new Set<Held>();
  let running = 0;

  const countOf = (accountId: string): number => counts.get(accountId) ?? 0;

  const mayStart = (accountId: string): boolean => {
    if (running < capacity) return true;
    const own = countOf(accountId);
    const sharers = counts.size + (own === 0 ? 1 : 0);
    return running < total && own < Math.max(1, Math.floor(capacity / sharers));
  };

  const startNext = (): void => {
    const fewestFirst = [...held].toSorted((a, b) => countOf(a.accountId) - countOf(b.accountId));
    const next = fewestFirst.find(({ accountId }) => mayStart(accountId));
    if (!next) return;
    held.delete(next);
    next.start();
  };

  const begin = (accountId: string): (() => void) => {
    running += 1;
    counts.set(accountId, countOf(accountId) + 1);
    return () => {
      running -= 1;
      const left = countOf(accountId) - 1;
      if (left === 0) counts.delete(accountId);
      else counts.set(accountId, left);
      startNext();
      onRoom();
    };
  };

  return {
    total,
    room: () => total - running - held.size,
    enter: (accountId) => {
      if (mayStart(accountId)) return Promise.resolve(begin(accountId));
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
      const entry: Held = {
        accountId,
        start: () => {
          clearTimeout(timer);
          resolve(begin(accountId));
        },
      };
      const timer = setTimeout(() => {
        held.delete(entry);
        resolve(null);
        onRoom();
      }, holdMs);
      held.add(entry);
      return promise;
    },
  };
}
