import { AppError } from '@gleaner/contracts';

/** The most tasks of one account that run at the same time in one process. */
const MAX_RUNNING = 4;
/** The most waiting tasks of one account. */
const MAX_WAITING = 1_000;

/**
 * Limits how many connections to databases one account holds in a process, so that its slow queries leave connections
 * to the other accounts.
 */
export interface FairShare {
  /**
   * Runs `work` as soon as fewer than 4 calls of this account are running; until then it waits in order of arrival. Calls
   * must not be nested: work that waits for other work of its own account can wait forever.
   * @param signal aborted when the client has disconnected; the wait then rejects with the signal's reason
   * @throws AppError concurrency_limit_exceeded when 1,000 calls of this account already wait
   */
  run<T>(accountId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Account {
  running: number;
  /** Functions that start waiting work, in order of arrival. */
  waiting: Set<() => void>;
}

export function createFairShare(): FairShare {
  const accounts = new Map<string, Account>();

  const waitIn = (waiting: Account['waiting'], signal: AbortSignal): Promise<void> => {
    if (waiting.size >= MAX_WAITING) {
      throw new AppError('concurrency_limit_exceeded', {
        detail: `${MAX_WAITING} requests of this account already wait to read databases`,
        retryAfterSeconds: 5,
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      waiting.delete(begin);
      reject(signal.reason);
    };
    const begin = (): void => {
      signal.removeEventListener('abort', leave);
      waiting.delete(begin);
      resolve();
    };
    waiting.add(begin);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  };

  return {
    run: async (accountId, work, signal) => {
      signal.throwIfAborted();
      const account = accounts.get(accountId) ?? { running: 0, waiting: new Set() };
      accounts.set(accountId, account);
      if (account.running < MAX_RUNNING) account.running += 1;
      else await waitIn(account.waiting, signal);
      try {
        return await work();
      } finally {
        // The next waiting call replaces this one, so `running` stays the same.
        const [next] = account.waiting;
        if (next) next();
        else account.running -= 1;
        if (account.running === 0) accounts.delete(accountId);
      }
    },
  };
}
