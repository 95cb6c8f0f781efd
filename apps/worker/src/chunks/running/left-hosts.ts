import { inputAddress, type PacedWake, type RunSpec, type TaskOutcome } from '@gleaner/core';
import { OWN_PATIENCE_MS, paceReason } from '@gleaner/fetching';
import { paceOf } from '../../tasks/attempt-task.ts';

/** Notes which hosts the pages of a run that keeps a pace have left. */
export function createLeftHosts(run: RunSpec) {
  const pace = paceOf(run);
  const hosts = new Set<string>();
  return {
    /** @param line the page's input */
    add: (line: string, outcome: TaskOutcome): void => {
      const hasLeft = outcome.ok || outcome.isOwnPace !== true || outcome.redirected !== undefined;
      const host = pace && URL.parse(inputAddress(run.target, line))?.host;
      if (hasLeft && host !== undefined) hosts.add(host);
    },
    wake: (): PacedWake | undefined =>
      pace === undefined || hosts.size === 0
        ? undefined
        : {
            reasons: Array.from(hosts, (host) => [
              paceReason('hostDelaySeconds', host),
              paceReason('hostConcurrency', host),
            ]).flat(),
            // The first page of the next chunk may wait in its slot.
            afterMs: pace.delayMs > OWN_PATIENCE_MS ? pace.delayMs : 0,
          },
  };
}
