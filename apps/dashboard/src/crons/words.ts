import cronstrue from 'cronstrue';
import type { FiringCause, FiringOutcome, Overlap } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatSpan } from '../format/format.ts';
import { everyOf } from './every.ts';
import type { StatusName } from '../parts/page.tsx';

export type Firing = CallOutput<'listCronRuns'>['runs'][number];

/** The policy for a firing that is due while the previous run is unfinished. */
export const OVERLAP_WORDS = {
  skip: 'Skip the new one',
  queue: 'Wait for the previous run, at most one',
  replace: 'Cancel the previous run',
  allow: 'Run both',
} satisfies Record<Overlap, string>;

export const OUTCOMES = {
  started: { word: 'started', status: 'succeeded' },
  queued: { word: 'waiting', status: 'pending' },
  skipped: { word: 'skipped', status: 'cancelled' },
  missed: { word: 'missed', status: 'attention' },
  failed: { word: 'refused', status: 'failed' },
} satisfies Record<FiringOutcome, { word: string; status: StatusName }>;

/** What became of a firing and its run. */
export type Result = FiringOutcome | 'faulty';

export function resultOf({ outcome, run }: Pick<Firing, 'outcome' | 'run'>): Result {
  return outcome === 'started' && run !== null && run.failed + run.held > 0 ? 'faulty' : outcome;
}

/** What happens to a firing for which no scheduler ran. */
export function catchupText(seconds: number | null): string {
  if (seconds === null) return 'Runs once later, until the next is due';
  return seconds === 0 ? 'Skipped' : `Runs once later, within ${formatSpan(seconds)}`;
}

/** Why a firing made no run, as a sentence. */
export function reasonOf({ reason, outcome }: Firing): string {
  if (reason === null && outcome === 'queued') return 'the previous run is unfinished';
  if (reason === null)
    return outcome === 'missed' ? 'no scheduler ran when it was due; a later firing ran instead' : '';
  return reason === 'overlap' ? 'the previous run was unfinished' : reason;
}

export const CAUSE_WORDS = {
  schedule: 'on time',
  trigger: 'by hand',
  backfill: 'backfill',
  catchup: 'late',
} satisfies Record<FiringCause, string>;

/** A schedule in words: `At 06:30, Monday through Friday`. Undefined when it isn't one. */
export function sentenceOf(schedule: string): string | undefined {
  // Only five fields: the library also takes seconds and years, which the service refuses.
  if (schedule.trim().split(/\s+/).length !== 5) return undefined;
  const every = everyOf(schedule);
  if (every)
    return every.count === 1 ? `Every ${every.unit.slice(0, -1)}` : `Every ${every.count} ${every.unit}`;
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true, verbose: true });
  } catch {
    return undefined;
  }
}
