import { AppError } from '@gleaner/contracts';

/** Work of one account that may hold a connection for seconds, at once in one process. */
const MAX_AT_ONCE = 4;
/** More of it that may wait. */
const MAX_WAITING = 1_000;

/** Keeps one account from taking all connections of a process. */
export interface AccountTurns {
  /**
   * Does the work when it is its turn; never to be nested.
   * @param signal of a client: who has gone waits no longer, and the promise rejects with its reason
   * @throws AppError concurrency_limit_exceeded when too much waits already
   */
  take<T>(accountId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Account {
  underWay: number;
  waiting: Set<() => void>;
}

export function createAccountTurns(): AccountTurns {
  const accounts = new Map<string, Account>();

  const waitIn = (waiting: Account['waiting'], signal: AbortSignal): Promise<void> => {
    if (waiting.size >= MAX_WAITING) {
      throw new AppError('concurrency_limit_exceeded', {
        detail: `${MAX_WAITING} requests that read databases wait already`,
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
    take: async (accountId, work, signal) => {
      signal.throwIfAborted();
      const account = accounts.get(accountId) ?? { underWay: 0, waiting: new Set() };
      accounts.set(accountId, account);
      if (account.underWay < MAX_AT_ONCE) account.underWay += 1;
      else await waitIn(account.waiting, signal);
      try {
        return await work();
      } finally {
        // The turn goes on to who waits longest, or comes back.
        const [next] = account.waiting;
        if (next) next();
        else account.underWay -= 1;
        if (account.underWay === 0) accounts.delete(accountId);
      }
    },
  };
}
