import { hasEnded, type RunState } from '@gleaner/contracts/values';
import type { WaitOptions } from '@gleaner/client';
import { useEffect, useEffectEvent } from 'react';
import { toProblem } from './problem.ts';

interface Run {
  id: string;
  status: RunState;
}

/**
 * Reads the progress of a run until it has ended.
 * @param run undefined until it is read
 * @param waitFor the client's method that follows it
 */
export function useFollowed<R extends Run>(
  run: Run | undefined,
  waitFor: (id: string, options: WaitOptions<R>) => Promise<R>,
  onProgress: (run: R) => void,
): void {
  const id = run === undefined || hasEnded(run.status) ? undefined : run.id;
  const report = useEffectEvent(onProgress);
  const follow = useEffectEvent(async (live: string, signal: AbortSignal): Promise<void> => {
    try {
      await waitFor(live, { signal, onProgress: report });
    } catch (error) {
      // A service that was away for minutes is waited for again.
      const { status } = toProblem(error);
      if (!signal.aborted && (status === 0 || status >= 500)) await follow(live, signal);
    }
  });
  useEffect(() => {
    if (id === undefined) return undefined;
    const controller = new AbortController();
    void follow(id, controller.signal);
    return () => controller.abort();
  }, [id]);
}
