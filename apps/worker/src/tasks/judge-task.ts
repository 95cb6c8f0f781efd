import type { Baselines, RunSpec, TaskOutcome } from '@gleaner/core';
import { judgePage, type PageSeen } from '@gleaner/learn/drift';

/** Adds to a task's outcome what it says of the parser, and what becomes of its row. */
export type TaskJudge = (run: RunSpec, task: JudgedTask, outcome: TaskOutcome) => Promise<TaskOutcome>;

export interface JudgedTask {
  url: string;
  seq: number;
  /** When its chunk began: what was known of the parser before is too old. */
  since: number;
}

/** The longest name that DNS knows: no page comes from a longer one. */
const MAX_HOST_LENGTH = 253;

function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname;
  return host !== undefined && host.length <= MAX_HOST_LENGTH ? host : undefined;
}

/**
 * A page without a value, where others have some, is not a success that anybody should pay for. One page is no change of
 * the site: an alarm is.
 */
function asFailure(
  { page, fields }: TaskOutcome,
  seen: PageSeen,
  { isKnown, isHeld }: { isKnown: boolean; isHeld: boolean },
): TaskOutcome {
  return {
    ok: false,
    error: {
      code: 'extraction_failed',
      detail: isKnown
        ? 'no field has a value, and the site seems to have changed: the parser needs a repair'
        : 'no field has a value, although other pages of this host have them',
    },
    page,
    fields,
    seen: { ...seen, error: 'extraction_failed' },
    isPageHeld: isHeld,
  };
}

export function createTaskJudge(baselines: Baselines): TaskJudge {
  return async (run, { url, seq, since }, outcome) => {
    const { target, sink } = run;
    const name = target.type === 'parser' ? hostOf(url) : undefined;
    if (target.type !== 'parser' || name === undefined) return outcome;
    const { host, baseline } = await baselines.read(
      { parserId: target.parserId, version: target.version, host: name },
      since,
    );
    const error = outcome.ok ? undefined : outcome.error.code;
    const seen: PageSeen = {
      host,
      url,
      seq,
      fields: outcome.fields,
      structure: outcome.structure,
      error,
      baseline,
    };
    const { suspicion, isKnown, isEmpty } = judgePage(seen);
    if (suspicion === undefined || outcome.fields === undefined) return { ...outcome, seen };
    const isGuarded = sink?.mode === 'database' && sink.on_drift !== undefined;
    if (!outcome.ok) return { ...outcome, seen, isPageHeld: isGuarded };
    if (isEmpty) return asFailure(outcome, seen, { isKnown, isHeld: isGuarded });
    if (!isGuarded) return { ...outcome, seen };
    const held = { state: isKnown ? ('held' as const) : ('suspect' as const), reason: suspicion };
    return { ...outcome, seen, held, isPageHeld: true };
  };
}
