import { describe, expect, it } from 'vitest';
import { nextFiring, nextFirings } from './next-firing.ts';
import { parseSchedule } from './parse-schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time zones, each with the first of three years in which its clocks changed the most. */
const ZONES: readonly [string, number][] = [
  ['Europe/Berlin', 2026],
  ['America/New_York', 2026],
  ['America/Sao_Paulo', 2016],
  ['Australia/Lord_Howe', 2026],
  ['Pacific/Apia', 2010],
  ['Asia/Kathmandu', 2026],
  ['Asia/Tehran', 2020],
  ['Africa/Casablanca', 2025],
  ['Europe/Dublin', 2026],
  ['America/Santiago', 2026],
  ['Pacific/Auckland', 2026],
  ['UTC', 2026],
];

const EXPRESSIONS = [
  '* * * * *',
  '*/5 * * * *',
  '*/30 * * * *',
  '7-59/13 * * * *',
  '0 * * * *',
  '59 * * * *',
  '15,45 * * * 1-5',
  '0 0-23 1 * *',
  '0 */2 * * *',
  '*/20 */3 * * *',
  '0 0 * * *',
  '15 0 * * *',
  '30 0 * * *',
  '0 1 * * *',
  '30 1 * * *',
  '15 2 * * *',
  '30 2 * * *',
  '0,30 2,3 * * *',
  '*/10 1-3 * * *',
  '0 3 * * *',
  '59 23 * * *',
  '* 2 * * *',
  '* 0-22 * * *',
  '0 12 * * *',
  '0 0,12 * * *',
  '30 2 * * SUN',
  '0 0 * * 7',
  '0 0 * * 0,6',
  '0 9 * * MON-FRI',
  '45 23 * * SAT',
  '0 0 1 * *',
  '0 0 31 * *',
  '0 0 29 2 *',
  '0 0 13 * FRI',
  '0 0 1-7 * MON',
  '30 2 * MAR,OCT,NOV *',
  '0 0 30 12 *',
  '15 2 1 4,10 *',
  '0 4 */10 * *',
  '20 1 * JAN-MAR/2 WED',
];

const NAMES: Readonly<Record<string, number>> = Object.fromEntries([
  ...['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'].map((name, day) => [name, day]),
  ...'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ').map((name, at) => [name, at + 1]),
]);

/** Whether the field, between `least` and `most`, contains the value. */
function has(field: string, value: number, least: number, most: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from, to] =
      range === '*' ? [least, most] : range.split('-').map((end) => NAMES[end] ?? Number(end));
    if (from === undefined) return false;
    const last = to ?? from;
    return value >= from && value <= last && (value - from) % Number(step) === 0;
  });
}

interface Calendar {
  everyHour: boolean;
  /** The local times of a day at which the expression fires, as UTC times. */
  timesOn: (midnight: number) => number[];
}

function openCalendar(expression: string): Calendar {
  const [minute = '', hour = '', date = '', month = '', weekday = ''] = expression.split(' ');
  const minutes = Array.from({ length: 1440 }, (_, at) => at).filter(
    (at) => has(hour, Math.floor(at / 60), 0, 23) && has(minute, at % 60, 0, 59),
  );
  const matches = (midnight: number): boolean => {
    const day = new Date(midnight);
    if (!has(month, day.getUTCMonth() + 1, 1, 12)) return false;
    const isDate = has(date, day.getUTCDate(), 1, 31);
    const isWeekday = has(weekday, day.getUTCDay(), 0, 7) || (day.getUTCDay() === 0 && has(weekday, 7, 0, 7));
    return date !== '*' && weekday !== '*' ? isDate || isWeekday : isDate && isWeekday;
  };
  return {
    everyHour: Array.from({ length: 24 }, (_, at) => at).every((at) => has(hour, at, 0, 23)),
    timesOn: (midnight) => (matches(midnight) ? minutes.map((at) => midnight + at * MINUTE_MS) : []),
  };
}

const CALENDARS = EXPRESSIONS.map((expression) => ({ expression, calendar: openCalendar(expression) }));

/** The local time in the zone, read only from Intl, independently of our code. */
function openWall(zone: string, from: number, to: number) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsetAt = (instant: number): number => {
    const part = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day, hour, minute, second } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
  };
  const changes: { at: number; before: number; after: number }[] = [];
  let offset = offsetAt(from);
  for (let instant = from; instant < to; instant += DAY_MS) {
    const next = offsetAt(instant + DAY_MS);
    if (next === offset) continue;
    let [low, high] = [instant, instant + DAY_MS];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    changes.push({ at: high, before: offset, after: next });
    offset = next;
  }
  const first = offsetAt(from);
  const known = (instant: number): number => changes.findLast(({ at }) => at <= instant)?.after ?? first;
  const offsets = [...new Set([first, ...changes.map(({ after }) => after)])];
  /** Every instant at which the clocks show the time, ascending. */
  const showing = (local: number): number[] =>
    offsets
      .map((each) => local - each)
      .filter((instant) => known(instant) === local - instant)
      .sort((a, b) => a - b);
  const delayed = (local: number): number => {
    const gap = changes.find(({ at, before, after }) => local >= at + before && local < at + after);
    if (!gap) throw new Error('the clocks neither show the time nor leave it out');
    return local - gap.before;
  };
  return { changes, showing, delayed };
}

type Wall = ReturnType<typeof openWall>;

/** Firings between two instants, found by checking every day. */
function enumerate(calendar: Calendar, wall: Wall, [from, to]: readonly [number, number]): number[] {
  const found = new Set<number>();
  const firstDay = Math.floor(from / DAY_MS) * DAY_MS - 2 * DAY_MS;
  for (let midnight = firstDay; midnight < to + 2 * DAY_MS; midnight += DAY_MS) {
    for (const local of calendar.timesOn(midnight)) {
      const instants = wall.showing(local);
      const [first] = instants;
      if (calendar.everyHour) for (const instant of instants) found.add(instant);
      else found.add(first ?? wall.delayed(local));
    }
  }
  return [...found].filter((instant) => instant > from && instant <= to).sort((a, b) => a - b);
}

/** A generator of numbers between 0 and 1, from a seed that a failure shows. */
function openRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('three years of firings agree with a check of every minute of local time', () => {
  it.each(ZONES)('%s', (zone, year) => {
    const start = Date.UTC(year, 0, 1);
    const end = Date.UTC(year + 3, 0, 1);
    const wall = openWall(zone, start - 3 * DAY_MS, end + 3 * DAY_MS);
    const seed = Number(process.env.FUZZ_SEED ?? year);
    const random = openRandom(seed);
    for (const { expression, calendar } of CALENDARS) {
      // Times around each clock change, and some days between.
      const windows = wall.changes.map(({ at }): [number, number] => [at - 26 * HOUR_MS, at + 26 * HOUR_MS]);
      for (let extra = 0; extra < 3; extra += 1) {
        const from = Math.floor((start + random() * (end - start - 40 * DAY_MS)) / MINUTE_MS) * MINUTE_MS;
        windows.push([from, from + (extra === 0 && !calendar.everyHour ? 40 : 1) * DAY_MS]);
      }
      windows.forEach(([from, to], index) => {
        const expected = enumerate(calendar, wall, [from, to]);
        const change = wall.changes[index];
        // If there are many, only those just before and after the change.
        const middle = change ? expected.findIndex((instant) => instant >= change.at) : 4;
        const first = expected.length > 14 ? Math.max(0, middle - 4) : 0;
        const after = first === 0 ? from : (expected[first - 1] ?? from);
        const shown = expected.slice(first, first + 10);
        const found = nextFirings(expression, zone, after, shown.length);
        expect({ expression, seed, after, times: found.map((time) => new Date(time).toISOString()) }).toEqual(
          {
            expression,
            seed,
            after,
            times: shown.map((time) => new Date(time).toISOString()),
          },
        );
        if (expected.length <= 14) {
          expect(nextFiring(expression, zone, expected.at(-1) ?? from) ?? Infinity).toBeGreaterThan(to);
        }
      });
    }
  });
});

/** Local readings of the firings that follow a local date. */
function firings(schedule: string, zone: string, after: string, count: number): string[] {
  return nextFirings(schedule, zone, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  );
}

it('the day of the month and the day of the week are ORed when both are restricted', () => {
  expect(firings('0 0 1 * MON', 'UTC', '2026-08-30T00:00:00Z', 4)).toEqual([
    '2026-08-31T00:00',
    '2026-09-01T00:00',
    '2026-09-07T00:00',
    '2026-09-14T00:00',
  ]);
  expect(firings('0 0 * * MON', 'UTC', '2026-08-30T00:00:00Z', 2)).toEqual([
    '2026-08-31T00:00',
    '2026-09-07T00:00',
  ]);
});

it('a step in a day field restricts it, which a note says', () => {
  expect(firings('0 0 */10 * MON', 'UTC', '2026-08-30T00:00:00Z', 4)).toEqual([
    '2026-08-31T00:00',
    '2026-09-01T00:00',
    '2026-09-07T00:00',
    '2026-09-11T00:00',
  ]);
  expect(parseSchedule('0 0 */10 * MON').note).toMatch(/^fires on days that match \*\/10 or MON/);
  expect(parseSchedule('0 0 1 * */2').note).toMatch(/: \*\/2 restricts its field/);
  expect(['0 0 */2 * *', '0 0 1 * MON', '*/5 * * * *'].map((text) => parseSchedule(text).note)).toEqual([
    null,
    null,
    null,
  ]);
});

it('29 February fires in leap years, and 30 February never', () => {
  expect(firings('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2028-02-29T00:00',
    '2032-02-29T00:00',
  ]);
  expect(firings('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00']);
  expect(nextFiring('0 0 30 2 *', 'UTC', 0)).toBeNull();
  expect(nextFiring('0 * 30 2 *', 'Europe/Berlin', 0)).toBeNull();
  expect(nextFiring('0 0 31 4,6 *', 'UTC', 0)).toBeNull();
  expect(firings('0 0 31 2 MON', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-02-02T00:00']);
});

it('a daily time that a clock change skips fires that day, later by the length of the change', () => {
  expect(firings('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
    '2027-03-28T01:30',
    '2027-03-29T00:30',
  ]);
  expect(firings('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2)).toEqual([
    '2026-10-03T15:45',
    '2026-10-04T15:15',
  ]);
  expect(firings('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 2)).toEqual([
    '2018-11-04T03:00',
    '2018-11-05T02:00',
  ]);
});

it('in the repeated autumn hour a daily schedule fires once, and an hourly schedule twice', () => {
  expect(firings('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  expect(firings('30 * * * *', 'Europe/Berlin', '2026-10-24T23:00:00Z', 4)).toEqual([
    '2026-10-24T23:30',
    '2026-10-25T00:30',
    '2026-10-25T01:30',
    '2026-10-25T02:30',
  ]);
});

it('accepts names of months and days in upper and lower case', () => {
  expect(firings('0 0 * jan-Mar mon', 'UTC', '2026-02-25T00:00:00Z', 1)).toEqual(['2026-03-02T00:00']);
  expect(firings('0 0 * * 7', 'UTC', '2026-02-25T00:00:00Z', 1)).toEqual(['2026-03-01T00:00']);
});
