import { CronExpressionParser } from 'cron-parser';

/** The text is not a schedule. The message continues a sentence that starts with the field's name. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

/** A cron expression without a time zone. Times are local times, in milliseconds as if they were UTC. */
export interface Schedule {
  /** Every hour of the day matches, so the schedule follows local time, also through repeated hours. */
  isEveryHour: boolean;
  /** Minutes of the day at which it fires, ascending, on every day that matches. */
  timesOfDay: readonly number[];
  /** The first matching time after this one; null when there is none. */
  next: (after: number) => number | null;
  /** Whether it fires on the day with this midnight. */
  matchesDay: (midnight: number) => boolean;
  /** What other crons read differently; null for a schedule that all read alike. */
  note: string | null;
}

/** What a field may hold: `allowed` is its range and its names, in words. */
const FIELDS = [
  { key: 'minute', name: 'minute', allowed: '0 to 59' },
  { key: 'hour', name: 'hour', allowed: '0 to 23' },
  { key: 'dayOfMonth', name: 'day of month', allowed: '1 to 31' },
  {
    key: 'month',
    name: 'month',
    allowed: '1 to 12 or JAN, FEB, MAR, APR, MAY, JUN, JUL, AUG, SEP, OCT, NOV, DEC',
  },
  { key: 'dayOfWeek', name: 'day of week', allowed: '0 to 7 or SUN, MON, TUE, WED, THU, FRI, SAT' },
] as const;
const MAX_LENGTH = 200;

/** The elements of a field that all crons read alike; cron-parser takes more, such as L, H and a month MON. */
const ELEMENTS = FIELDS.map(({ allowed }) => {
  const value = ['[0-9]{1,2}', ...(allowed.match(/[A-Z]{3}/g) ?? [])].join('|');
  return new RegExp(`^(?:(?:${value})|(?:\\*|(?:${value})-(?:${value}))(?:/[0-9]{1,2})?)$`);
});

/** The values of a field, ascending. Its elements may overlap, which cron-parser refuses within one expression. */
function readField(text: string, place: number): number[] {
  const field = FIELDS[place];
  if (!field) throw new RangeError(`a schedule has no field ${place}`);
  const values = text.split(',').flatMap((element) => {
    try {
      if (ELEMENTS[place]?.test(element) === true) {
        const alone = FIELDS.map((_, index) => (index === place ? element : '*')).join(' ');
        return CronExpressionParser.parse(alone, { tz: 'UTC' }).fields[field.key].values.map(Number);
      }
    } catch {
      // The error below says what the field may hold.
    }
    throw new ScheduleError(
      `has the ${field.name} "${element}"; it must be ${field.allowed}, a range such as 1-5, or * or a range with a step such as */15`,
    );
  });
  return [...new Set(values)].sort((a, b) => a - b);
}

/** A search of the calendar. @param expression one that fires */
function openSearch(expression: string): Schedule['next'] {
  // In UTC no time is skipped or repeated.
  const search = CronExpressionParser.parse(expression, { tz: 'UTC' });
  // A search may take milliseconds, and many crons of one schedule are due together: each needs the next two times.
  let known: { after: number; next: number }[] = [];
  return (after) => {
    const found = known.find((one) => after >= one.after && after < one.next);
    if (found) return found.next;
    search.reset(new Date(after));
    const next = search.next().getTime();
    known = [{ after, next }, ...known.slice(0, 1)];
    return next;
  };
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a month has one of the days, so that a schedule of them fires. */
function hasDate(dates: readonly number[], months: readonly number[]): boolean {
  return months.some((month) => dates.some((date) => date <= (LONGEST[month - 1] ?? 0)));
}

/** Whether the schedule matches days, given by their midnights. */
function openDays(
  values: readonly number[][],
  [, , date, , weekday]: readonly string[],
): Schedule['matchesDay'] {
  const [, , dates = [], months = [], weekdays = []] = values;
  return (midnight) => {
    const day = new Date(midnight);
    if (!months.includes(day.getUTCMonth() + 1)) return false;
    const isDate = dates.includes(day.getUTCDate());
    const isWeekday = weekdays.some((value) => value % 7 === day.getUTCDay());
    return date !== '*' && weekday !== '*' ? isDate || isWeekday : isDate && isWeekday;
  };
}

/** Vixie's cron counts a day field that begins with `*` as unrestricted, so `*\/2` and a weekday must both match. */
function noteOf([, , date = '*', , weekday = '*']: readonly string[]): string | null {
  const step = [date, weekday].find((field) => field.startsWith('*/'));
  return step === undefined || date === '*' || weekday === '*'
    ? null
    : `fires on days that match ${date} or ${weekday}: ${step} restricts its field; other crons want both to match`;
}

/**
 * Reads a cron expression of exactly five fields. When both day fields are restricted (not `*`), a day matches if either
 * of them matches.
 * @throws ScheduleError
 */
export function parseSchedule(text: string): Schedule {
  if (text.length > MAX_LENGTH) throw new ScheduleError(`is longer than ${MAX_LENGTH} characters`);
  const fields = text
    .trim()
    .toUpperCase()
    .split(/[ \t]+/);
  if (fields.length !== FIELDS.length || fields[0] === '') {
    throw new ScheduleError(
      `has ${fields[0] === '' ? 0 : fields.length} ${fields.length === 1 && fields[0] !== '' ? 'field' : 'fields'}; it must have five: minute, hour, day of month, month, day of week`,
    );
  }
  const values = fields.map(readField);
  // Only `*` leaves a day field unrestricted; cron-parser takes `*/2` for unrestricted too.
  const parts = values.map((found, place) => (fields[place] === '*' ? '*' : found.join(',')));
  const [minutes = [], hours = [], dates = [], months = []] = values;
  const fires = parts[4] !== '*' || hasDate(dates, months);
  return {
    isEveryHour: hours.length === 24,
    timesOfDay: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    next: fires ? openSearch(parts.join(' ')) : () => null,
    matchesDay: openDays(values, fields),
    note: noteOf(fields),
  };
}
