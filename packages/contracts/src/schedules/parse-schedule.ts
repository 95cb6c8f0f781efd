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

interface FieldRule {
  name: string;
  least: number;
  most: number;
  names: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const RULES: readonly FieldRule[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day of month', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: MONTHS },
  { name: 'day of week', least: 0, most: 7, names: DAYS },
];
const MAX_LENGTH = 200;
const RANGE = /^(?:\*|([0-9]{1,2}|[A-Z]{3})(?:-([0-9]{1,2}|[A-Z]{3}))?)(?:\/([0-9]{1,2}))?$/;

function readValue(rule: FieldRule, text: string): number {
  const place = rule.names.indexOf(text);
  // Months count from 1, days of the week from 0.
  const value = place === -1 ? Number(text) : place + rule.least;
  if (Number.isInteger(value) && value >= rule.least && value <= rule.most) return value;
  const names = rule.names.length > 0 ? ` or ${rule.names.join(', ')}` : '';
  throw new ScheduleError(`has the ${rule.name} ${text}; it must be ${rule.least} to ${rule.most}${names}`);
}

/** The values of one element of a field, such as `5`, `MON-FRI` and `8-18/2`. */
function readElement(rule: FieldRule, element: string): number[] {
  const found = RANGE.exec(element);
  if (!found) {
    throw new ScheduleError(
      `has the ${rule.name} "${element}"; it must be a value, a range such as 1-5, or * or a range with a step such as */15`,
    );
  }
  const [, first, last, step] = found;
  if (step !== undefined && first !== undefined && last === undefined) {
    throw new ScheduleError(`has the ${rule.name} "${element}"; a step needs * or a range before it`);
  }
  const from = first === undefined ? rule.least : readValue(rule, first);
  const to = last === undefined ? (first === undefined ? rule.most : from) : readValue(rule, last);
  if (to < from)
    throw new ScheduleError(`has the ${rule.name} "${element}"; the range ends before it begins`);
  const by = Number(step ?? 1);
  if (by < 1) throw new ScheduleError(`has the ${rule.name} "${element}"; a step must be at least 1`);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function readField(rule: FieldRule, text: string): number[] {
  return [...new Set(text.split(',').flatMap((element) => readElement(rule, element)))].sort((a, b) => a - b);
}

/** Only `*` leaves a day field unrestricted. Sunday is 0 or 7. */
function toList(values: readonly number[], field: string, rule: FieldRule): string {
  if (field === '*') return '*';
  const list = rule.most === 7 ? values.map((value) => value % 7) : values;
  return [...new Set(list)].join(',');
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
  if (fields.length !== RULES.length || fields[0] === '') {
    throw new ScheduleError(
      `has ${fields[0] === '' ? 0 : fields.length} ${fields.length === 1 && fields[0] !== '' ? 'field' : 'fields'}; it must have five: minute, hour, day of month, month, day of week`,
    );
  }
  const values = RULES.map((rule, index) => readField(rule, fields[index] ?? ''));
  const parts = RULES.map((rule, index) => toList(values[index] ?? [], fields[index] ?? '', rule));
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
