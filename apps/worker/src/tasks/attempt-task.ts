import { AppError, toStorableJsonText, toStoredError } from '@gleaner/contracts';
import { isUnavailable, toAppError, type TaskOutcome } from '@gleaner/core';
import { createPhaseClock, HostBusyError } from '@gleaner/fetching';
import type { TaskRun, TimedRun } from './task-run.ts';

export interface AttemptDeps {
  /** Called with internal errors. Log them here; clients only see `internal`. */
  onInternalError: (error: unknown) => void;
}

/** Runs one attempt of a task and measures its phases. Returns failures as data; only an abort throws. */
export async function attemptTask(
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
      phases: clock.read(),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 }),
      ...(isUncounted ? { isUncounted } : {}),
      ...(failure instanceof HostBusyError && failure.isPaced ? { isPaced: true } : {}),
    };
  }
}
