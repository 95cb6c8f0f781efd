import type { Redirected } from '@gleaner/contracts';
import type { RunSpec, SavedPage } from '@gleaner/core';
import type { OwnPace, PhaseClock } from '@gleaner/fetching';
import type { RunClimb } from './along-ways.ts';

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
  savedPage?: (() => Promise<SavedPage>) | undefined;
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
