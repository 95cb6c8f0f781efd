import { Cron } from 'croner';

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
  /** The first matching day (its midnight) after this time; null when there is none. */
  nextDay: (after: number) => number | null;
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

/** A step that is longer than its range has one value, but croner rejects it, and counts days of the week from 0 to 6. */
function toCroner(values: readonly number[], field: string, rule: FieldRule): string {
  if (field === '*') return '*';
  const list = rule.most === 7 ? values.map((value) => value % 7) : values;
  return [...new Set(list)].join(',');
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
      `has ${fields[0] === '' ? 0 : fields.length} fields; it must have five: minute, hour, day of month, month, day of week`,
    );
  }
  const values = RULES.map((rule, index) => readField(rule, fields[index] ?? ''));
  const parts = RULES.map((rule, index) => toCroner(values[index] ?? [], fields[index] ?? '', rule));
  const [minutes = [], hours = []] = values;
  // In UTC no time is skipped or repeated, so croner only searches the calendar.
  const times = new Cron(parts.join(' '), { utcOffset: 0 });
  const days = new Cron(['0', '0', ...parts.slice(2)].join(' '), { utcOffset: 0 });
  const search = (cron: Cron) => (after: number) => cron.nextRun(new Date(after))?.getTime() ?? null;
  return {
    isEveryHour: hours.length === 24,
    timesOfDay: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    next: search(times),
    nextDay: search(days),
  };
}
