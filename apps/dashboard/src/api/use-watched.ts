import { useEffect, useRef } from 'react';
import { toProblem } from './problem.ts';
import { watch } from './watch.ts';

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
 * @param take gets the data of each event; it returns false when the run has ended
 */
export function useWatched(path: string, isLive: boolean, take: (data: unknown) => boolean): void {
  const taken = useRef(take);
  useEffect(() => {
    taken.current = take;
  });
  useEffect(() => {
    if (!isLive) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          for await (const { data } of watch(path, signal)) if (!taken.current(data)) return;
        } catch (error) {
          if (signal.aborted || toProblem(error).status === 404) return;
        }
        await wait(RETRY_MS, signal);
      }
    };
    void follow();
    return () => controller.abort();
  }, [path, isLive]);
}
