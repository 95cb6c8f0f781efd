import { AppError, toStorableJsonText, toStoredError } from '@gleaner/contracts';
import { isUnavailable, toAppError, type TaskOutcome } from '@gleaner/core';
import { PageLostError } from '@gleaner/extractors/pool';
import { createPhaseClock, HostBusyError } from '@gleaner/fetching';
import type { TaskRun, TimedRun } from './task-run.ts';

export interface AttemptDeps {
  /** Called with internal errors. Log them here; clients only see `internal`. */
  onInternalError: (error: unknown) => void;
}

/** How often a page is fetched again after another page ended its extraction thread. */
const MAX_LOSSES = 2;
/** And after its thread ended while it was read. */
const MAX_OWN_LOSSES = 1;

async function whileLost(
  work: (run: TimedRun) => Promise<TaskOutcome>,
  run: TimedRun,
  losses = 0,
): Promise<TaskOutcome> {
  try {
    return await work(run);
  } catch (error) {
    if (!(error instanceof PageLostError)) throw error;
    const own = error.cause instanceof Error ? error.cause : undefined;
    if (losses < (own === undefined ? MAX_LOSSES : MAX_OWN_LOSSES)) return whileLost(work, run, losses + 1);
    throw own === undefined ? error : new AppError('extraction_failed', { detail: own.message });
  }
}

/** Runs one attempt of a task and measures its phases. Returns failures as data; only an abort throws. */
export async function attemptTask(
  deps: AttemptDeps,
  run: TaskRun,
  work: (run: TimedRun) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const clock = createPhaseClock();
  try {
    const outcome = await whileLost(work, { ...run, clock });
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
