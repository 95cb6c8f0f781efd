import type { LedgerKind } from '@gleaner/contracts/values';
import { plural } from '../format/format.ts';

/** Credits used on one day. */
export interface Day {
  /** Seconds since the epoch, at midnight of the reader's zone. */
  at: number;
  used: number;
}

interface Entry {
  kind: LedgerKind;
  credits: number;
  created_at: string;
}

function startOfDay(time: number): number {
  const date = new Date(time);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Credits used on each of the last days, including today and days without use. */
export function burnByDay(entries: readonly Entry[], days: number, now: number): Day[] {
  const used = new Map<number, number>();
  for (const { kind, credits, created_at: createdAt } of entries) {
    if (kind !== 'settle') continue;
    const day = startOfDay(Date.parse(createdAt));
    used.set(day, (used.get(day) ?? 0) + credits);
  }
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(startOfDay(now));
    date.setDate(date.getDate() - (days - 1 - index));
    return { at: date.getTime() / 1000, used: used.get(date.getTime()) ?? 0 };
  });
}

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
