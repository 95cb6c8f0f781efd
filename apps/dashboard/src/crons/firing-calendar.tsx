import { formatNumber } from '../format/number.ts';
import { groupByDay, type FiringDay } from './firing-days.ts';
import { OUTCOMES, type Firing } from './words.ts';

const DAYS = 91;
const ORDER = ['started', 'queued', 'skipped', 'missed', 'failed'] as const;

function textOf({ date, counts }: FiringDay): string {
  const found = ORDER.filter((outcome) => counts[outcome] !== undefined).map(
    (outcome) => `${formatNumber(counts[outcome] ?? 0)} ${OUTCOMES[outcome].word}`,
  );
  return `${date}: ${found.length === 0 ? 'nothing' : found.join(', ')}`;
}

/** The last thirteen weeks: a square for each day, coloured by the worst that happened on it. */
export function FiringCalendar({ firings, zone }: { firings: readonly Firing[]; zone: string }) {
  const days = groupByDay(firings, { zone, days: DAYS, now: Date.now() });
  const first = days[0];
  // Columns are weeks that begin on Monday.
  const lead = first === undefined ? 0 : (new Date(`${first.date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const total = ORDER.map((outcome) => ({
    outcome,
    count: days.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0),
  })).filter(({ count }) => count > 0);
  const summary =
    total.length === 0
      ? 'nothing has fired'
      : total.map(({ outcome, count }) => `${formatNumber(count)} ${OUTCOMES[outcome].word}`).join(', ');
  return (
    <div className="row" style={{ alignItems: 'flex-end', gap: 16, flexWrap: 'wrap' }}>
      <div className="calendar" role="img" aria-label={`The last 13 weeks: ${summary}`}>
        {Array.from({ length: lead }, (_, index) => (
          <span key={`lead${index}`} />
        ))}
        {days.map((day) => (
          <i key={day.date} className={day.worst ?? 'none'} title={textOf(day)} />
        ))}
      </div>
      <ul className="legend small">
        {total.map(({ outcome, count }) => (
          <li key={outcome}>
            <i className={outcome} /> {formatNumber(count)} {OUTCOMES[outcome].word}
          </li>
        ))}
        {total.length === 0 && <li className="soft">Nothing has fired in 13 weeks.</li>}
      </ul>
    </div>
  );
}
