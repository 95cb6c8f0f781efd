import { formatNumber, plural } from '../format/number.ts';
import styles from './account.module.css';
import type { Day } from './burn.ts';

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

function dayOf({ at }: Day): string {
  return day.format(new Date(at * 1000));
}

/** Credits used a day, as bars with their values. */
export function BurnChart({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ used }) => used));
  return (
    <ol className={styles.chart} aria-label="Credits used a day">
      {days.map((one) => (
        <li key={one.at} title={`${dayOf(one)}: ${plural(one.used, 'credit')}`}>
          <span className="small num">{one.used > 0 && formatNumber(one.used)}</span>
          <i style={{ height: `${(one.used / most) * 100}%` }} />
          <span className="small soft nowrap">{dayOf(one)}</span>
        </li>
      ))}
    </ol>
  );
}
