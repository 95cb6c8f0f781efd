import type { Bar } from '../charts/scale.ts';
import { formatNumber, formatShare, plural } from '../format/format.ts';
import { wordsOf, type CollectionRun } from '../today/runs-squares.ts';

/** A bar for each run, the latest at the right; firings without a run have none. @param runs newest first */
export function barsOfRuns(runs: readonly CollectionRun[]): Bar[] {
  return runs
    .filter(({ status }) => status !== null)
    .map((run) => ({
      key: run.run_id ?? run.at,
      title: wordsOf(run),
      good: run.succeeded,
      bad: run.failed,
    }))
    .toReversed();
}

/** `97 % of 1,200 pages succeeded; 2 of 30 runs had failures` */
export function successText(runs: readonly CollectionRun[]): string {
  const ran = runs.filter(({ status }) => status !== null);
  const succeeded = ran.reduce((sum, run) => sum + run.succeeded, 0);
  const ended = succeeded + ran.reduce((sum, run) => sum + run.failed, 0);
  const faulty = ran.filter(({ failed }) => failed > 0).length;
  return `${formatShare(succeeded, ended)} of ${plural(ended, 'page')} succeeded; ${formatNumber(faulty)} of ${plural(ran.length, 'run')} had failures.`;
}
