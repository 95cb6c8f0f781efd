import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { IconClock } from '../parts/icons.ts';
import { formatExact } from '../format/format.ts';
import styles from './crons.module.css';
import { readFiringTimes } from './firing-times.ts';

/** The next times at which a schedule fires. Those of the previous schedule stay until the new ones arrive. */
export function usePreview(schedule: string, timezone: string, nextAt?: string | null) {
  return useQuery({
    queryKey: ['previewCron', schedule, timezone, nextAt],
    queryFn: ({ signal }) => call('previewCron', { body: { schedule, timezone } }, { signal }),
    enabled: schedule.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
}

interface FiringStripProps {
  times: readonly string[];
  zone: string;
  schedule: string;
}

/** The next times at which a cron fires, by the clocks of its zone, with what a change of the clocks does to them. */
export function FiringStrip({ times, zone, schedule }: FiringStripProps) {
  const firings = readFiringTimes(times, zone, schedule);
  const notes = firings.filter(({ note }) => note !== undefined);
  return (
    <div className="stack tight">
      <ol className={styles.strip} aria-label="Next firings">
        {firings.map(({ at, day, time, offset, note }) => (
          <li key={at} className={note === undefined ? undefined : styles.noted} title={formatExact(at)}>
            <span className="small soft">{day}</span>
            <strong>{time}</strong>
            <span className="small soft">{offset}</span>
          </li>
        ))}
      </ol>
      {notes.map(({ at, day, time, note }) => (
        <p key={at} className="small row">
          <IconClock size={14} color="var(--amber)" aria-hidden />
          <span>
            {day}, {time}: {note}.
          </span>
        </p>
      ))}
    </div>
  );
}
