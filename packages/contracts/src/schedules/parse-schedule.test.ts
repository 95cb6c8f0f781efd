import { expect, it } from 'vitest';
import { leastIntervalSeconds } from './next-firing.ts';
import { parseSchedule, ScheduleError } from './parse-schedule.ts';
import { isTimeZone } from './time-zone.ts';

it.each([
  ['', 'has 0 fields'],
  ['* * * *', 'has 4 fields'],
  ['0 * * * * *', 'has 6 fields'],
  ['@daily', 'has 1 field;'],
  ['60 * * * *', 'minute "60"; it must be 0 to 59'],
  ['* 24 * * *', 'hour "24"; it must be 0 to 23'],
  ['* * 0 * *', 'day of month "0"'],
  ['* * * 13 *', 'month "13"; it must be 1 to 12 or JAN'],
  ['* * * * 8', 'day of week "8"'],
  ['* * * * FUN', 'day of week "FUN"'],
  ['* * * MON *', 'month "MON"'],
  ['* * L * *', 'day of month "L"'],
  ['H * * * *', 'minute "H"'],
  ['? * * * *', 'minute "?"'],
  ['* * 15W * *', 'day of month "15W"'],
  ['* * * * 1#2', 'day of week "1#2"'],
  ['*/0 * * * *', 'minute "*/0"'],
  ['5/10 * * * *', '* or a range with a step'],
  ['30-10 * * * *', 'minute "30-10"'],
  ['1,,2 * * * *', 'minute ""'],
  ['* * * * *\n* * * * *', 'fields'],
  [`${'0,'.repeat(200)}0 * * * *`, 'longer than 200'],
])('%j is refused: %s', (text, reason) => {
  expect(() => parseSchedule(text)).toThrow(ScheduleError);
  expect(() => parseSchedule(text)).toThrow(reason);
});

it.each([
  ['* * * * *', 60],
  ['*/5 * * * *', 300],
  // Two minutes of one hour have two different gaps.
  ['0,2 3 * * *', 120],
  ['0,50 * * * *', 600],
  ['59 23 * * *', 86_400],
  ['0,59 0,23 * * *', 60],
  // The last time of a day and the first of the next are close, but no two consecutive days match.
  ['0,59 0,23 1 * *', 59 * 60],
  ['0 0 1,15 * *', 14 * 86_400],
  ['0 0 29 2 *', 4 * 365.25 * 86_400],
  ['0 0 * * MON', 7 * 86_400],
  ['0 0 13 * FRI', 86_400],
  ['0 0 31 2 *', Infinity],
])('%s fires every %i seconds at least', (schedule, seconds) => {
  expect(leastIntervalSeconds(schedule)).toBe(seconds);
});

it('time zones are names', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    expect(isTimeZone(name)).toBe(true);
  for (const name of ['', 'Mars/Base', '+01:00', 'Europe/Berlin ', 'Europe/../Berlin', 'x'.repeat(100)])
    expect(isTimeZone(name)).toBe(false);
});
