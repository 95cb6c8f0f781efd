import { AppError, nextWay, toStorableJsonText, toStoredError } from '@gleaner/contracts';
import { isUnavailable, toAppError, type Climb, type TaskOutcome } from '@gleaner/core';
import { BlockedError, createPhaseClock, HostBusyError } from '@gleaner/fetching';
import type { TaskRun, TimedRun } from './task-run.ts';

export interface AttemptDeps {
  /** Called with internal errors. Log them here; clients only see `internal`. */
  onInternalError: (error: unknown) => void;
}

/** What the ways of a page make of an outcome: its price, or that a dearer way goes on. */
function alongWays(outcome: TaskOutcome, climb: Climb | undefined): TaskOutcome {
  if (outcome.ok) return climb === undefined ? outcome : { ...outcome, price: climb.ways[climb.at]?.price };
  const { climbs, ...failure } = outcome;
  if (climbs === undefined || climb === undefined) return failure;
  return { ...failure, next: nextWay(climb.ways, climb.at, climbs) };
}

/** Runs one attempt of a task by one of its ways and measures its phases. Returns failures as data; only an abort throws. */
export async function attemptTask(
  deps: AttemptDeps,
  run: TaskRun,
  work: (run: TimedRun) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  return alongWays(await attempt(deps, run, work), run.climb);
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
      ...(failure instanceof HostBusyError && failure.isPaced ? { isPaced: true } : {}),
    };
  }
}
