import { AppError, type Answer } from '@gleaner/contracts';

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
