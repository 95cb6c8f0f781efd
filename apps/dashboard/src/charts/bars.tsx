import { formatNumber } from '../format/format.ts';
import styles from './charts.module.css';
import { topOf, type Bar } from './scale.ts';

interface BarsProps {
  /** What the chart says, for those who can't see it. */
  label: string;
  bars: readonly Bar[];
  /** What stands under the bars at these places. */
  ticks: readonly { index: number; text: string }[];
}

/** Counts over time: each bar has what succeeded and, above it, what failed. The exact numbers show on hover. */
export function Bars({ label, bars, ticks }: BarsProps) {
  const top = topOf(bars);
  const share = (count: number): string => `${(count / top) * 100}%`;
  return (
    <div className={styles.chart} role="img" aria-label={label}>
      <div className={styles.scale}>
        <span>{formatNumber(top)}</span>
        <span>{top > 1 && formatNumber(top / 2)}</span>
        <span>0</span>
      </div>
      <div className={styles.plot}>
        {bars.map(({ key, title, good, bad }) => (
          <span key={key} className={styles.bar} title={title}>
            {bad > 0 && <i className={styles.bad} style={{ height: share(bad) }} />}
            {good > 0 && <i className={styles.good} style={{ height: share(good) }} />}
          </span>
        ))}
      </div>
      <div className={styles.ticks}>
        {ticks.map(({ index, text }) => (
          <span key={index} style={{ left: `${((index + 0.5) / bars.length) * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}
