import { AppError, createKeyedTurns, type Answer } from '@gleaner/contracts';

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

type StreamKind = Extract<Answer['kind'], 'stream' | 'events'>;

/** The most open streams of one kind per account and process. What an export holds is counted as well, in bytes. */
const MAX_OPEN: Readonly<Record<StreamKind, number>> = { stream: 20, events: 100 };

export type OpenStreams = ReturnType<typeof createOpenStreams>;

/** Counts the open streams of a process, because each uses memory for as long as its client reads. */
export function createOpenStreams() {
  const counts = new Map<string, number>();
  return {
    /**
     * Counts a stream until the returned function is called. Further calls of that function do nothing.
     * @throws AppError concurrency_limit_exceeded when the account has reached its limit for this kind
     */
    open: (accountId: string, kind: StreamKind): (() => void) => {
      const key = `${kind}:${accountId}`;
      const known = counts.get(key) ?? 0;
      if (known >= MAX_OPEN[kind])
        throw new AppError('concurrency_limit_exceeded', {
          detail: `${MAX_OPEN[kind]} streams of this kind are open`,
          hint: 'Close streams that are no longer read.',
          retryAfterSeconds: 5,
        });
      counts.set(key, known + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}
