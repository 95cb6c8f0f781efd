import type { ChunkOutcomes, RunSpec } from '@gleaner/core';
import type { ChunkDeps } from './chunk-work.ts';

/** Makes tasks of the children that a chunk has written, so that further stages of its workflow run continue. */
export interface FollowUp {
  /** Starts the follow-up. Call it after the outcomes were written. */
  start: (outcomes: ChunkOutcomes) => void;
  /** Resolves when everything that was started has ended. */
  ended: () => Promise<void>;
}

export function createFollowUp(deps: Pick<ChunkDeps, 'numbering' | 'log'>, run: RunSpec): FollowUp {
  let following: Promise<unknown> = Promise.resolve();
  const follow = async (rootNo: string): Promise<void> => {
    try {
      await deps.numbering(rootNo);
    } catch (error) {
      deps.log.warn(
        { err: error, runId: run.id },
        'children are not tasks yet; the sweeper will number them',
      );
    }
  };
  return {
    start: ({ children }) => {
      if (children) following = Promise.all([following, follow(children.rootNo)]);
    },
    ended: async () => {
      await following;
    },
  };
}
