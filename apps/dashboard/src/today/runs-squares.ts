import { hasEnded } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatMoment, formatNumber, plural } from '../format/format.ts';

export type Collection = CallOutput<'listCollections'>['collections'][number];
export type CollectionRun = Collection['runs'][number];

/** How a run ended, as a square shows it. */
export type Square = 'good' | 'faulty' | 'failed' | 'live' | 'none';

/** What a square says. Rows that are held back and failed pages make a success faulty. */
export function squareOf({ outcome, status, failed, held }: CollectionRun): Square {
  if (outcome === 'failed' || status === 'failed') return 'failed';
  if (outcome === 'missed' || failed > 0 || held > 0) return 'faulty';
  if (outcome === 'queued' || (status !== null && !hasEnded(status))) return 'live';
  return status === 'succeeded' ? 'good' : 'none';
}

const OUTCOME_WORDS = {
  started: 'its run is deleted',
  skipped: 'skipped',
  queued: 'waits',
  missed: 'missed',
  failed: 'refused',
} satisfies Record<CollectionRun['outcome'], string>;

/** `5 Mar, 06:30: 38 of 40 pages, 2 failed` */
export function wordsOf(run: CollectionRun): string {
  const { at, outcome, status, total, succeeded, failed, held } = run;
  const counts = [
    `${formatNumber(succeeded)} of ${plural(total, 'page')}`,
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(held > 0 ? [`${plural(held, 'row')} held`] : []),
    ...(status === 'running' || status === 'cancelled' ? [status] : []),
  ];
  return `${formatMoment(at)}: ${status === null ? OUTCOME_WORDS[outcome] : counts.join(', ')}`;
}

const SUMMARY = {
  good: 'succeeded',
  faulty: 'with failures',
  failed: 'failed',
  live: 'under way',
  none: 'without a run',
} satisfies Record<Square, string>;

/** `The last 30 runs: 28 succeeded, 2 with failures` */
export function sayRuns(runs: readonly CollectionRun[]): string {
  if (runs.length === 0) return 'No run yet';
  const groups = Map.groupBy(runs, squareOf);
  const words = Object.entries(SUMMARY).flatMap(([square, word]) => {
    const count = groups.get(square as Square)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `The last ${plural(runs.length, 'run')}: ${words.join(', ')}`;
}
