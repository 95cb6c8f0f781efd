import { formatNumber } from '../format/format.ts';
import { groupByDay, type FiringDay } from './firing-days.ts';
import styles from './crons.module.css';
import { RESULTS, type Firing } from './words.ts';

const DAYS = 91;
const ORDER = ['started', 'queued', 'skipped', 'missed', 'faulty', 'failed'] as const;

function textOf({ date, counts }: FiringDay): string {
  const found = ORDER.filter((result) => counts[result] !== undefined).map(
    (result) => `${formatNumber(counts[result] ?? 0)} ${RESULTS[result].word}`,
  );
  return `${date}: ${found.length === 0 ? 'nothing' : found.join(', ')}`;
}

/** The last thirteen weeks: a square for each day, coloured by the worst that happened on it. */
export function FiringCalendar({ firings, zone }: { firings: readonly Firing[]; zone: string }) {
  const days = groupByDay(firings, { zone, days: DAYS, now: Date.now() });
  const first = days[0];
  // Columns are weeks that begin on Monday.
  const lead = first === undefined ? 0 : (new Date(`${first.date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const total = ORDER.map((result) => ({
    result,
    count: days.reduce((sum, { counts }) => sum + (counts[result] ?? 0), 0),
  })).filter(({ count }) => count > 0);
  const summary =
    total.length === 0
      ? 'nothing has fired'
      : total.map(({ result, count }) => `${formatNumber(count)} ${RESULTS[result].word}`).join(', ');
  return (
    <div className="row wrap bottom">
      <div className={styles.calendar} role="img" aria-label={`The last 13 weeks: ${summary}`}>
        {Array.from({ length: lead }, (_, index) => (
          <span key={`lead${index}`} />
        ))}
        {days.map((day) => (
          <i key={day.date} className={day.worst && styles[day.worst]} title={textOf(day)} />
        ))}
      </div>
      <ul className={`${styles.legend} small`}>
        {total.map(({ result, count }) => (
          <li key={result}>
            <i className={styles[result]} /> {formatNumber(count)} {RESULTS[result].word}
          </li>
        ))}
        {total.length === 0 && <li className="soft">Nothing has fired in 13 weeks.</li>}
      </ul>
    </div>
  );
}
