import { AppError, type BatchRecord } from '@gleaner/contracts';

/** Streams of progress that one account may have open in one process. */
const MAX_PER_ACCOUNT = 100;
/** How long a state that was read serves further watchers of the same batch. */
const FRESH_MS = 400;

/** The streams of progress that a process has open. */
export interface BatchWatches {
  /** @throws AppError concurrency_limit_exceeded when the account has all it may have */
  requireRoom(accountId: string): void;
  /** Counts a stream until the function that comes back is called. */
  open(accountId: string): () => void;
  /** Reads a batch's state, once for all that ask for it at about the same time. */
  read(batchId: string, read: () => Promise<BatchRecord>): Promise<BatchRecord>;
}

export const createBatchWatches = (): BatchWatches => {
  const streams = new Map<string, number>();
  const states = new Map<string, Promise<BatchRecord>>();
  return {
    requireRoom: (accountId) => {
      if ((streams.get(accountId) ?? 0) < MAX_PER_ACCOUNT) return;
      throw new AppError('concurrency_limit_exceeded', {
        detail: `${MAX_PER_ACCOUNT} streams of events are open`,
        hint: 'Close streams that nobody reads, or ask for batches now and then.',
        retryAfterSeconds: 5,
      });
    },
    open: (accountId) => {
      streams.set(accountId, (streams.get(accountId) ?? 0) + 1);
      return () => {
        const left = (streams.get(accountId) ?? 1) - 1;
        if (left > 0) streams.set(accountId, left);
        else streams.delete(accountId);
      };
    },
    read: (batchId, read) => {
      const known = states.get(batchId);
      if (known) return known;
      const state = read();
      states.set(batchId, state);
      setTimeout(() => states.delete(batchId), FRESH_MS).unref();
      return state;
    },
  };
};
