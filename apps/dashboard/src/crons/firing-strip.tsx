import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { IconClock } from '../parts/icons.ts';
import { formatExact } from '../format/format.ts';
import styles from './crons.module.css';

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

function partsOf(at: string, zone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return Object.fromEntries(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
}

function offsetOf(parts: Record<string, string>): string {
  const text = parts['timeZoneName']?.replace('GMT', '') ?? '';
  return text === '' ? '+00:00' : text;
}

/** Minutes that a clock with this offset is ahead of UTC. */
function minutesOf(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** The times of day that a schedule names, when it names hours and minutes one by one. */
function namedTimes(schedule: string): Set<string> | undefined {
  const [minute = '', hour = ''] = schedule.trim().split(/\s+/);
  const isList = /^\d+(,\d+)*$/;
  if (!isList.test(minute) || !isList.test(hour)) return undefined;
  const two = (text: string): string => text.padStart(2, '0');
  return new Set(hour.split(',').flatMap((h) => minute.split(',').map((m) => `${two(h)}:${two(m)}`)));
}

function span(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

/** Firings of a monthly schedule are near enough to see a clock change between them. */
const NEAR_MS = 35 * 86_400_000;

/**
 * Formats due times in a time zone, and marks clock changes between two of them.
 * @param times ISO 8601, rising
 * @param zone IANA name
 */
export function readFiringTimes(times: readonly string[], zone: string, schedule: string) {
  const named = namedTimes(schedule);
  const all = times.map((at) => partsOf(at, zone));
  const years = new Set(all.map(({ year }) => year));
  let before: string | undefined;
  return times.map((at, place) => {
    const parts = all[place] ?? {};
    const offset = offsetOf(parts);
    const time = `${parts['hour']}:${parts['minute']}`;
    // Between times that are months apart the clocks change and change back: that says nothing about either.
    const isNear = Date.parse(at) - Date.parse(times[place - 1] ?? at) < NEAR_MS;
    const change = before === undefined || !isNear ? 0 : minutesOf(offset) - minutesOf(before);
    before = offset;
    const clocks =
      change === 0
        ? undefined
        : `the clocks were set ${change > 0 ? 'forward' : 'back'} by ${span(Math.abs(change))}`;
    const isMoved = named !== undefined && !named.has(time);
    const moved = isMoved ? 'the clocks skip its time on this day, so it fires later' : undefined;
    return {
      at,
      // `Mon 30 Mar`, with its year when the times are of several.
      day: `${parts['weekday']} ${parts['day']} ${parts['month']}${years.size > 1 ? ` ${parts['year']}` : ''}`,
      time,
      offset,
      /** The effect of a clock change on it. */
      note: moved ?? clocks,
    };
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
