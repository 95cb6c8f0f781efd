import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';

type Usage = Pick<CallOutput<'getUsage'>['usage'][number], 'from' | 'credits' | 'pages'>;

/** The last days of the reader's zone, today included, each as the time of its beginning. */
export function lastDays(days: number, now: number): Date[] {
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - (days - 1 - index));
    return date;
  });
}

/** What was used on each of these days, also on days without use. @param usage by day, in the reader's zone */
export function burnByDay(usage: readonly Usage[], days: readonly Date[]) {
  return days.map((date, index) => {
    const end = days[index + 1]?.getTime() ?? Number.POSITIVE_INFINITY;
    const ofDay = usage.filter(({ from }) => Date.parse(from) >= date.getTime() && Date.parse(from) < end);
    return { at: date.getTime() / 1000, used: ofDay.reduce((sum, { credits }) => sum + credits, 0) };
  });
}

export type Day = ReturnType<typeof burnByDay>[number];

const LONG_DAYS = 365;

/** How many days a balance lasts at the pace of these days; undefined when nothing was used. */
export function daysLasting(days: readonly Day[], balance: number): number | undefined {
  const used = days.reduce((sum, day) => sum + day.used, 0);
  return used === 0 ? undefined : balance / (used / days.length);
}

/** The use of the last days, and how long the balance lasts at this pace. @param balance undefined until it is read */
export function burnText(days: readonly Day[], balance: number | undefined): string {
  const used = days.reduce((sum, day) => sum + day.used, 0);
  const text = `${plural(used, 'credit')} used in the last ${days.length} days`;
  if (used === 0 || balance === undefined) return text;
  const left = daysLasting(days, balance) ?? 0;
  const lasts =
    left > LONG_DAYS ? 'for more than a year' : `about ${plural(Math.floor(left), 'day')} (estimated)`;
  return `${text}. At this pace the balance lasts ${lasts}`;
}
