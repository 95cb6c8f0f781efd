import { useEffect, useReducer, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { createUrlTree } from './url-tree.ts';

/** The most addresses of one call. */
const PAGE = 1_000;
const PAUSE_MS = 2_000;

function beginWalk() {
  return { tree: createUrlTree(), read: 0, cursor: undefined as string | undefined, isDone: false };
}

type Walk = ReturnType<typeof beginWalk>;

/** Reads all addresses of a crawl from where the walk is, and goes on with it while it lives. */
async function goOn(walk: Walk, id: string, onRead: () => void, signal: AbortSignal): Promise<void> {
  while (!walk.isDone) {
    const query = { limit: PAGE, cursor: walk.cursor };
    const { urls, cursor } = await call('listCrawlUrls', { params: { id }, query }, { signal });
    walk.tree.add(urls);
    walk.read += urls.length;
    walk.cursor = cursor;
    walk.isDone = cursor === undefined;
    onRead();
    if (!walk.isDone && urls.length < PAGE) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    signal.throwIfAborted();
  }
}

/**
 * All addresses of a crawl by their patterns, each read once: what a crawl has decided changes no more.
 * @param isLive whether the crawl goes on; one that is retried is read again
 */
export function useUrlTree(id: string, isLive: boolean) {
  const walk = useRef(beginWalk());
  const [shown, setShown] = useState<Walk>(beginWalk);
  const [error, setError] = useState<unknown>(null);
  const [tries, retry] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (isLive && walk.current.isDone) walk.current = beginWalk();
    const run = async (): Promise<void> => {
      const { current } = walk;
      setError(null);
      for (;;) {
        try {
          return await goOn(current, id, () => setShown({ ...current }), signal);
        } catch (failure) {
          const { status } = toProblem(failure);
          if (signal.aborted) return;
          // A service that was away is asked again.
          if (status !== 0 && status < 500) return setError(failure);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
    };
    void run();
    return () => controller.abort();
  }, [id, isLive, tries]);
  return { ...shown, error, retry };
}
