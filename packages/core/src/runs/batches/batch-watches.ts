import type { BatchRecord } from '@gleaner/contracts';

/** How long a state that was read serves further watchers of the same batch. */
const FRESH_MS = 400;

/** Reads states of batches once for all streams of progress in a process. */
export interface BatchWatches {
  /** Reads a batch's state, once for all that ask for it at about the same time. */
  read(batchId: string, read: () => Promise<BatchRecord>): Promise<BatchRecord>;
}

export function createBatchWatches(): BatchWatches {
  const states = new Map<string, Promise<BatchRecord>>();
  return {
    read: (batchId, read) => {
      const known = states.get(batchId);
      if (known) return known;
      const state = read();
      states.set(batchId, state);
      setTimeout(() => states.delete(batchId), FRESH_MS).unref();
      return state;
    },
  };
}
