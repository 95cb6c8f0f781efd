import { useEffect, useRef } from 'react';
import { toProblem } from './problem.ts';

const RETRY_MS = 2_000;

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Reads the events of a run while it is live, and connects again when the stream breaks off.
 * @param open opens the stream
 * @param take gets the data of each event; it returns false when the run has ended
 */
export function useWatched<T>(
  id: string,
  isLive: boolean,
  open: (signal: AbortSignal) => AsyncIterable<{ data: T }>,
  take: (data: T) => boolean,
): void {
  const taken = useRef({ open, take });
  useEffect(() => {
    taken.current = { open, take };
  });
  useEffect(() => {
    if (!isLive) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          for await (const { data } of taken.current.open(signal)) if (!taken.current.take(data)) return;
        } catch (error) {
          if (signal.aborted || toProblem(error).status === 404) return;
        }
        await wait(RETRY_MS, signal);
      }
    };
    void follow();
    return () => controller.abort();
  }, [id, isLive]);
}
