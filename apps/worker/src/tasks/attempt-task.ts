import { AppError, toStorableJsonText, toStoredError } from '@gleaner/contracts';
import { isUnavailable, toAppError, type TaskOutcome, type WayMemory } from '@gleaner/core';
import { BlockedError, createPhaseClock, HostBusyError, RedirectBusyError } from '@gleaner/fetching';
import { alongWays } from './along-ways.ts';
import type { TaskRun, TimedRun } from './task-run.ts';

export interface AttemptDeps {
  /** Called with internal errors. Log them here; clients only see `internal`. */
  onInternalError: (error: unknown) => void;
  /** What hosts showed of the ways of their pages. */
  ways: WayMemory;
}

/** Runs one attempt of a task by one of its ways and measures its phases. Returns failures as data; only an abort throws. */
export async function attemptTask(
  deps: AttemptDeps,
  run: TaskRun,
  work: (run: TimedRun) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  return alongWays(deps.ways, run.climb, () => attempt(deps, run, work));
}

async function attempt(
  deps: AttemptDeps,
  run: TaskRun,
  work: (run: TimedRun) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const clock = createPhaseClock();
  try {
    const outcome = await work({ ...run, clock });
    outcome.phases = clock.read();
    // A prebuilt API gives texts as their site wrote them.
    return outcome.ok ? { ...outcome, answer: toStorableJsonText(outcome.answer) } : outcome;
  } catch (error) {
    if (run.signal.aborted) throw error;
    if (!(error instanceof AppError)) deps.onInternalError(error);
    const failure = toAppError(error);
    const isUncounted = failure instanceof HostBusyError || isUnavailable(error);
    const retryAfter = failure.options.retryAfterSeconds;
    return {
      ok: false,
      error: toStoredError(failure),
      ...(failure instanceof BlockedError && failure.canClimb ? { climbs: 'blocked' } : {}),
      phases: clock.read(),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 }),
      ...(isUncounted ? { isUncounted } : {}),
      ...(failure instanceof RedirectBusyError ? { redirected: failure.redirected } : {}),
      ...(failure instanceof HostBusyError ? { isPaced: failure.isPaced, isOwnPace: failure.isOwnPace } : {}),
    };
  }
}
