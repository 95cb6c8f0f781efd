import { dayClock, stepsOf } from '../charts/periods.ts';
import type { Bar } from '../charts/scale.ts';
import { formatNumber } from '../format/format.ts';

const STEP_MS = 300_000;
/** Five minutes of the 24 hours that a chart shows. */
const STEPS = 288;

/** A bar for each five minutes of a day of hours; a time without a sample has none. */
export function sampleBars<S extends { at: string }>(
  samples: readonly S[],
  of: (sample: S) => number,
  unit: string,
  now: number,
): Bar[] {
  const [first = now] = stepsOf('day', now);
  const byTime = new Map(samples.map((sample) => [Math.floor(Date.parse(sample.at) / STEP_MS), sample]));
  return Array.from({ length: STEPS }, (_, index) => {
    const from = first + index * STEP_MS;
    const sample = byTime.get(Math.floor(from / STEP_MS));
    const text = sample === undefined ? 'not known' : `${formatNumber(of(sample))} ${unit}`;
    return {
      key: String(from),
      title: `${dayClock.format(from)}: ${text}`,
      good: sample ? of(sample) : 0,
      bad: 0,
    };
  });
}
