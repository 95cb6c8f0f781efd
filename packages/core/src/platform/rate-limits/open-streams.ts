import { AppError } from '@gleaner/contracts';

/** Streamed answers that a process has open, by account: each holds memory for as long as its client likes to read. */
export interface OpenStreams {
  /**
   * Counts a stream until the function that comes back is called, once or more.
   * @throws AppError concurrency_limit_exceeded when the account has all it may have
   */
  open(accountId: string): () => void;
}

/** @param max of one account at once */
export function createOpenStreams(max: number): OpenStreams {
  const streams = new Map<string, number>();
  return {
    open: (accountId) => {
      const known = streams.get(accountId) ?? 0;
      if (known >= max) {
        throw new AppError('concurrency_limit_exceeded', {
          detail: `${max} streams of this kind are open`,
          hint: 'Close those that nobody reads.',
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
  };
}
