import type { CallOutput } from '../api/call.ts';
import type { StatusName } from '../parts/values.tsx';

type Cron = CallOutput<'getCron'>;
export type Firing = CallOutput<'listCronRuns'>['runs'][number];
export type Overlap = Cron['overlap'];

/** The policy for a firing that is due while the previous run is unfinished. */
export const OVERLAP_WORDS: Record<Overlap, string> = {
  skip: 'Skip the new one',
  queue: 'Wait for the run before, one at most',
  replace: 'Cancel the run before',
  allow: 'Run both',
};

export const OUTCOMES: Record<Firing['outcome'], { word: string; status: StatusName }> = {
  started: { word: 'started', status: 'succeeded' },
  queued: { word: 'waiting', status: 'pending' },
  skipped: { word: 'skipped', status: 'cancelled' },
  missed: { word: 'missed', status: 'attention' },
  failed: { word: 'refused', status: 'failed' },
};

/** What became of a firing and its run. */
export type Result = Firing['outcome'] | 'faulty';

export const RESULTS: Record<Result, { word: string; status: StatusName }> = {
  ...OUTCOMES,
  faulty: { word: 'with failed pages', status: 'attention' },
};

export function resultOf({ outcome, run }: Pick<Firing, 'outcome' | 'run'>): Result {
  return outcome === 'started' && (run?.failed ?? 0) > 0 ? 'faulty' : outcome;
}

const REASONS: Record<string, string> = {
  overlap: 'the run before was unfinished',
  paused: 'the cron was paused',
};

/** Why a firing made no run, as a sentence. */
export function reasonOf({ reason, outcome }: Firing): string {
  if (reason === null && outcome === 'queued') return 'the run before is unfinished';
  if (reason === null)
    return outcome === 'missed' ? 'no scheduler ran when it was due, and a later one was made up' : '';
  return REASONS[reason] ?? reason;
}

export const CAUSE_WORDS: Record<Firing['cause'], string> = {
  schedule: 'on time',
  trigger: 'by hand',
  backfill: 'backfill',
  catchup: 'made up later',
};
