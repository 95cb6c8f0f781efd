import { AppError, type BatchRecord } from '@gleaner/contracts';

/** Streams of progress that one account may have open in one process. */
const MAX_PER_ACCOUNT = 100;
/** How long a state that was read serves further watchers of the same batch. */
const FRESH_MS = 400;

/** The streams of progress that a process has open. */
export interface BatchWatches {
  /**
   * Counts a stream until the function that comes back is called, once or more.
   * @throws AppError concurrency_limit_exceeded when the account has all it may have
   */
  open(accountId: string): () => void;
  /** Reads a batch's state, once for all that ask for it at about the same time. */
  read(batchId: string, read: () => Promise<BatchRecord>): Promise<BatchRecord>;
}

export const createBatchWatches = (): BatchWatches => {
  const streams = new Map<string, number>();
  const states = new Map<string, Promise<BatchRecord>>();
  return {
    open: (accountId) => {
      const known = streams.get(accountId) ?? 0;
      if (known >= MAX_PER_ACCOUNT) {
        throw new AppError('concurrency_limit_exceeded', {
          detail: `${MAX_PER_ACCOUNT} streams of events are open`,
          hint: 'Close streams that nobody reads, or ask for batches now and then.',
          retryAfterSeconds: 5,
        });
      }
      streams.set(accountId, known + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
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
