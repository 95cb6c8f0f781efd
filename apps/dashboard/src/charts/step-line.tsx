import { formatMoment, formatNumber } from '../format/format.ts';
import styles from './charts.module.css';

/** A value from a time on. */
export interface Step {
  /** ms */
  at: number;
  value: number;
}

interface StepLineProps {
  /** What the chart says, for those who can't see it. */
  label: string;
  /** At least two, oldest first. */
  steps: readonly Step[];
  /** The right end, ms. */
  until: number;
}

/** A value over time: each holds until the next. The exact ones show on hover. */
export function StepLine({ label, steps, until }: StepLineProps) {
  const from = steps[0]?.at ?? until;
  const values = steps.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (at: number): number => ((at - from) / Math.max(1, until - from)) * 100;
  // A tenth stays free above and below.
  const y = (value: number): number => (most === least ? 50 : 90 - ((value - least) / (most - least)) * 80);
  const path = steps
    .map(({ at, value }, index) => (index === 0 ? `M0 ${y(value)}` : `H${x(at)}V${y(value)}`))
    .join('');
  return (
    <div className={styles.chart} role="img" aria-label={label}>
      <div className={styles.scale}>
        <span>{formatNumber(most)}</span>
        <span>{most !== least && formatNumber(least)}</span>
      </div>
      <div className={styles.plot}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" className={styles.line} aria-hidden>
          <path d={`${path}H100`} vectorEffect="non-scaling-stroke" />
        </svg>
        {steps.map(({ at, value }) => (
          <span
            key={at}
            className={styles.dot}
            style={{ left: `${x(at)}%`, top: `${y(value)}%` }}
            title={`${formatMoment(new Date(at).toISOString())}: ${formatNumber(value)}`}
          />
        ))}
      </div>
      <div className={styles.ends}>
        <span>{formatMoment(new Date(from).toISOString())}</span>
        <span>now</span>
      </div>
    </div>
  );
}
