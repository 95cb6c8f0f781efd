import type { BatchRecord } from '@gleaner/contracts';
import { createOpenStreams, type OpenStreams } from '../../platform/rate-limits/open-streams.ts';

/** Progress streams that one account may have open in one process. */
const MAX_PER_ACCOUNT = 100;
/** For so long, further watchers of the same batch share a state that was read. */
const FRESH_MS = 400;

/** The progress streams that a process has open. */
export interface BatchWatches extends OpenStreams {
  /** Reads a batch's state, once for all watchers that ask at about the same time. */
  read(batchId: string, read: () => Promise<BatchRecord>): Promise<BatchRecord>;
}

export function createBatchWatches(): BatchWatches {
  const streams = createOpenStreams(MAX_PER_ACCOUNT);
  const states = new Map<string, Promise<BatchRecord>>();
  return {
    open: streams.open,
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
