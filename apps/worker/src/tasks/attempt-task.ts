import { AppError, toStorableJsonText, toStoredError, type Redirected, nextWay } from '@gleaner/contracts';
import {
  isUnavailable,
  toAppError,
  type TaskOutcome,
  type WayMemory,
  type RunSpec,
  type PageCopy,
  wayKey,
  type Climb,
  type TaskTarget,
  type WayKey,
} from '@gleaner/core';
import {
  BlockedError,
  createPhaseClock,
  HostBusyError,
  RedirectBusyError,
  type OwnPace,
  type PhaseClock,
} from '@gleaner/fetching';

/** The ways of a task's page, and what is remembered of its host. */
export interface RunClimb extends Climb {
  key: WayKey;
}

/** @param climb absent without `escalate` @param url of the page */
export function climbOf(
  climb: Climb | undefined,
  { accountId, target, url }: { accountId: string; target: TaskTarget; url: string },
): RunClimb | undefined {
  if (climb === undefined) return undefined;
  const host = URL.parse(url)?.host ?? '';
  return { ...climb, key: wayKey(accountId, host, target) };
}

/** The outcome of a page that goes on by another way and was not asked for: it is not stored. */
const UNASKED = { ok: false, error: { code: 'extraction_failed' } } as const satisfies TaskOutcome;

/** What an outcome shows of the way that was taken, and of the one before. */
function noteOutcome(memory: WayMemory, { ways, at, key }: RunClimb, outcome: TaskOutcome): void {
  const isRead = outcome.ok && outcome.climbs === undefined;
  const isVain = outcome.climbs !== undefined || (!outcome.ok && outcome.error.code === 'extraction_failed');
  if (at > 0 && (isRead || isVain)) memory.note(key, at - 1, isRead ? 'given' : 'vain');
  if (at === ways.length - 1) return;
  if (isRead) memory.note(key, at, 'read');
  else if (!outcome.ok && outcome.next !== undefined) memory.note(key, at, 'climbed');
}

/** What the ways of a page make of an outcome: its price, or that a dearer way goes on. */
function byWay(outcome: TaskOutcome, { ways, at }: Climb, isStopped: boolean): TaskOutcome {
  const next = outcome.climbs === undefined ? undefined : nextWay(ways, at, outcome.climbs);
  if (!outcome.ok) return outcome.climbs === undefined ? outcome : { ...outcome, next };
  // A page of facts is read as it is where no way gives more.
  if (next === undefined || isStopped) return { ...outcome, price: ways[at]?.price };
  return { ...UNASKED, climbs: outcome.climbs, next };
}

/** Reads a page by one of its ways, unless its host has shown that another one does. */
async function alongWays(
  memory: WayMemory,
  climb: RunClimb | undefined,
  attempt: () => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  if (climb === undefined) return attempt();
  const { ways, at, key, isUntried = false } = climb;
  // It ends there with its own error, or is read: pages that began here were not tried there.
  if (at > 0 && (await memory.hasStopped(key, at - 1))) return { ...UNASKED, next: at - 1 };
  // Since it began here, a page has shown that the way before may give its data.
  if (isUntried && (await memory.isTried(key, at - 1))) return { ...UNASKED, next: at - 1 };
  const hasNext = at < ways.length - 1;
  if (hasNext && (await memory.advise(key, at)) === 'skip')
    return { ...UNASKED, next: at + 1, isUntried: true };
  const attempted = await attempt();
  const isStopped = attempted.climbs !== undefined && (await memory.hasStopped(key, at));
  const outcome = byWay(attempted, climb, isStopped);
  noteOutcome(memory, climb, outcome);
  return outcome.ok || !isStopped ? outcome : { ...outcome, next: undefined };
}

/** A run of a task whose phases are measured. */
export interface TimedRun extends TaskRun {
  clock: PhaseClock;
}

export interface TaskRun {
  accountId: string;
  /** Milliseconds since the epoch. */
  deadlineAt: number;
  signal: AbortSignal;
  /** `none`: one attempt; the run repeats its tasks. */
  attempts: 'config' | 'none';
  /** With `escalate`: the ways of its page. */
  climb?: RunClimb | undefined;
  /** What its run asks of each host. */
  pace?: OwnPace | undefined;
  /** The run queues the task again when its host is busy. */
  isRequeuedWhenBusy?: boolean;
  /** The run goes on later at a redirect whose host is busy. */
  goesOnLater?: boolean;
  /** Where its page goes on. */
  redirected?: Redirected | undefined;
  /** Whether the outcome needs the page. */
  returnsBody?: boolean | undefined;
  /** Whether the outcome needs notes of the values, for the parser's health. */
  notesValues?: boolean | undefined;
  /** Whether a page on which nothing matches is a success: a stage that follows itself ends there. */
  mayBeEmpty?: boolean | undefined;
  /** Where the objects are that become rows, in a run whose table keeps values; see ExtractOptions of the extractors. */
  rowsAt?: string | undefined;
  /** The task of a re-parse: its page is loaded and not fetched. */
  savedPage?: (() => Promise<PageCopy>) | undefined;
}

/** What a task of this run has as `rowsAt`. */
export function rowsAtOf({ sink }: Pick<RunSpec, 'sink'>): TaskRun['rowsAt'] {
  if (sink?.mode !== 'database' || sink.nulls !== 'keep') return undefined;
  return (sink.rows ?? '').replace(/^\$\./, '');
}

/** What a run asks of each host; stages of one workflow run keep it together. */
export function paceOf({ no, stage, config }: RunSpec): OwnPace | undefined {
  const { hostDelaySeconds = 0, hostConcurrency = 0 } = config;
  if (hostDelaySeconds === 0 && hostConcurrency === 0) return undefined;
  return { run: stage?.rootNo ?? no, delayMs: hostDelaySeconds * 1_000, concurrency: hostConcurrency };
}

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
