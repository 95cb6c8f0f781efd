import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, createKeyedTurns } from '@gleaner/contracts';

/** UTF-16 units of outcomes that wait to be written: of one account, and of all. */
const ACCOUNT_LENGTH = 64 * 1024 * 1024;
const PROCESS_LENGTH = 192 * 1024 * 1024;
/** Pages of one account that are read at a time: more than there are threads, so that none of these waits. */
const READ_AT_ONCE = Math.max(4, availableParallelism() + 2);
const LOOK_MS = 50;
/** How long a page waits for room. */
const WITHIN_MS = 30_000;

/** Outcomes that this process holds until they are written. */
export interface OutcomeBudget {
  /** Counts what somebody holds of an account. @returns a function that ends it */
  watch(accountId: string, length: () => number): () => void;
  /**
   * Reads a page when the account, and the process, have room for what it may give.
   * @throws AppError temporarily_unavailable: there was none for 30 s; the signal's reason
   */
  read<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createOutcomeBudget(
  accountLength = ACCOUNT_LENGTH,
  processLength = PROCESS_LENGTH,
): OutcomeBudget {
  const holders = new Map<string, Set<() => number>>();
  const inTurn = createKeyedTurns(READ_AT_ONCE);
  const heldBy = (accountId: string): number => {
    let sum = 0;
    for (const length of holders.get(accountId) ?? []) sum += length();
    return sum;
  };
  /** An account with little is not held up by others that fill the process. */
  const isFull = (accountId: string): boolean => {
    const own = heldBy(accountId);
    if (own >= accountLength) return true;
    if (own < accountLength / 16) return false;
    let all = 0;
    for (const id of holders.keys()) all += heldBy(id);
    return all >= processLength;
  };
  const waitForRoom = async (accountId: string, signal: AbortSignal): Promise<void> => {
    const until = performance.now() + WITHIN_MS;
    while (isFull(accountId)) {
      if (performance.now() > until)
        throw new AppError('temporarily_unavailable', {
          detail: 'results of this account are found faster than they can be stored',
          retryAfterSeconds: 10,
        });
      await delay(LOOK_MS, undefined, { signal });
    }
  };
  return {
    watch: (accountId, length) => {
      const own = holders.get(accountId) ?? new Set();
      holders.set(accountId, own.add(length));
      return () => {
        own.delete(length);
        if (own.size === 0 && holders.get(accountId) === own) holders.delete(accountId);
      };
    },
    read: (accountId, signal, work) =>
      inTurn(
        accountId,
        async () => {
          await waitForRoom(accountId, signal);
          return work();
        },
        signal,
      ),
  };
}
