import { AppError, createKeyedTurns } from '@gleaner/contracts';

/** The most tasks of one account that run at the same time in one process. */
const MAX_RUNNING = 4;
/** The most waiting tasks of one account. */
const MAX_WAITING = 1_000;

export type FairShare = ReturnType<typeof createFairShare>;

/**
 * Limits how many connections to databases one account holds in a process, so that its slow queries leave connections
 * to the other accounts.
 */
export function createFairShare() {
  const takeTurnOf = createKeyedTurns(MAX_RUNNING);
  const pending = new Map<string, number>();
  return {
    /**
     * Runs `work` as soon as fewer than 4 calls of this account are running; until then it waits in order of arrival. Calls
     * must not be nested: work that waits for other work of its own account can wait forever.
     * @param signal aborted when the client has disconnected; the wait then rejects with the signal's reason
     * @throws AppError concurrency_limit_exceeded when 1,000 calls of this account already wait
     */
    run: async <T>(accountId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
      const count = pending.get(accountId) ?? 0;
      if (count >= MAX_RUNNING + MAX_WAITING)
        throw new AppError('concurrency_limit_exceeded', {
          detail: `${MAX_WAITING} requests of this account already wait to read databases`,
          retryAfterSeconds: 5,
        });
      pending.set(accountId, count + 1);
      try {
        return await takeTurnOf(accountId, work, signal);
      } finally {
        const left = (pending.get(accountId) ?? 0) - 1;
        if (left > 0) pending.set(accountId, left);
        else pending.delete(accountId);
      }
    },
  };
}
