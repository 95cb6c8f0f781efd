import type { CallOutput } from '../api/call.ts';
import { formatNumber, formatDuration } from '../format/format.ts';
import { isLive } from './run-row.ts';

type Batch = Pick<CallOutput<'getBatch'>, 'counts' | 'status' | 'waiting'>;

const WINDOW_MS = 10_000;

/** How many pages were done at a time, in milliseconds since 1970. */
export interface PaceSample {
  at: number;
  done: number;
}

/** The pages that ended: what every page counts as done. */
export function doneOf({
  counts,
}: {
  counts: Pick<Batch['counts'], 'succeeded' | 'failed' | 'cancelled'>;
}): number {
  return counts.succeeded + counts.failed + counts.cancelled;
}

/** The samples of the last seconds, with the newest. */
export function addSample(samples: readonly PaceSample[], newest: PaceSample): PaceSample[] {
  return [...samples.filter(({ at }) => at > newest.at - WINDOW_MS), newest];
}

/** The speed of a live batch over the last seconds, with the estimated time left; empty when nothing is known. */
export function paceText(batch: Batch, samples: readonly PaceSample[]): string {
  if (!isLive(batch)) return '';
  const [first] = samples;
  const last = samples.at(-1);
  const perSecond =
    !first || !last || last.at === first.at ? 0 : ((last.done - first.done) / (last.at - first.at)) * 1000;
  if (!last || perSecond === 0) {
    const { running, waiting_for_sink: unwritten } = batch.counts;
    return running === 0 && unwritten === 0 && batch.waiting === null ? 'waiting for its turn' : '';
  }
  const rate = perSecond < 10 ? perSecond.toFixed(1) : formatNumber(perSecond);
  const paced = ((batch.counts.total - last.done) / perSecond) * 1000;
  // A page that waits is not read before its next try.
  const leftMs = Math.max(paced, batch.waiting === null ? 0 : Date.parse(batch.waiting.until) - last.at);
  return `${rate}/s over the last 10 s · about ${formatDuration(leftMs)} left`;
}
