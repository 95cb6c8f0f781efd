import { plural } from '../format/format.ts';
import type { Entry } from './ledger-rows.ts';

function startOfDay(time: number): number {
  const date = new Date(time);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Credits used on each of the last days, including today and days without use. A day is that of the reader's zone. */
export function burnByDay(
  entries: readonly Pick<Entry, 'kind' | 'credits' | 'created_at'>[],
  days: number,
  now: number,
) {
  const settled = entries.filter(({ kind }) => kind === 'settle');
  const byDay = Map.groupBy(settled, (entry) => startOfDay(Date.parse(entry.created_at)));
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(startOfDay(now));
    date.setDate(date.getDate() - (days - 1 - index));
    const ofDay = byDay.get(date.getTime()) ?? [];
    // Its midnight, in seconds since the epoch.
    return { at: date.getTime() / 1000, used: ofDay.reduce((sum, { credits }) => sum + credits, 0) };
  });
}

export type Day = ReturnType<typeof burnByDay>[number];

const LONG_DAYS = 365;

/**
 * The use of the last days, and how long the balance lasts at this pace.
 * @param balance undefined until it is read
 * @param isPart earlier entries of these days are not read yet
 */
export function burnText(days: readonly Day[], balance: number | undefined, isPart: boolean): string {
  const used = days.reduce((sum, day) => sum + day.used, 0);
  const text = `${isPart ? 'At least ' : ''}${plural(used, 'credit')} used in the last ${days.length} days`;
  if (used === 0 || balance === undefined || isPart) return text;
  const left = balance / (used / days.length);
  const lasts =
    left > LONG_DAYS ? 'for more than a year' : `about ${plural(Math.floor(left), 'day')} (estimated)`;
  return `${text}. At this pace the balance lasts ${lasts}`;
}
