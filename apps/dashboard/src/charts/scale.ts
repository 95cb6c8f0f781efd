/** One time of a chart. */
export interface Bar {
  key: string;
  /** Shown on hover. */
  title: string;
  good: number;
  bad: number;
}

const STEPS = [1, 2, 4, 10];

/** The upper end of a chart's scale: a round number that no bar exceeds and whose half is round too. */
export function topOf(bars: readonly Pick<Bar, 'good' | 'bad'>[]): number {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const unit = 10 ** Math.floor(Math.log10(most));
  return unit * (STEPS.find((step) => step * unit >= most) ?? 10);
}
