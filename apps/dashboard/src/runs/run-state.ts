import { hasEnded, type RunState } from '@gleaner/contracts/values';

/** Whether a run waits or runs: its counts still change. */
export function isLive({ status }: { status: RunState }): boolean {
  return !hasEnded(status);
}
