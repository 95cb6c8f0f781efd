import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';

type Spent = Pick<CallOutput<'listCollections'>['collections'][number], 'enabled' | 'credits' | 'created_at'>;

const DAY_MS = 86_400_000;
/** The days over which the credits of a collection are counted. */
const COUNTED_DAYS = 30;

/** Days until the month of the reader ends, with a fraction. */
export function daysLeft(now: number): number {
  const date = new Date(now);
  return (new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime() - now) / DAY_MS;
}

/**
 * What schedules will still cost until the month ends, at the pace of the last 30 days: of younger ones since they
 * were made. Undefined where nothing runs by itself, or not for a day yet.
 */
export function costLeft({ enabled, credits, created_at: at }: Spent, now: number): number | undefined {
  const days = Math.min(COUNTED_DAYS, (now - Date.parse(at)) / DAY_MS);
  return enabled && days >= 1 ? Math.round((credits / days) * daysLeft(now)) : undefined;
}

/** `1,200 credits in 30 days; about 40 more until the month ends (estimated)` */
export function costText(collection: Spent, now: number): string {
  const left = costLeft(collection, now);
  const used = `${plural(collection.credits, 'credit')} in 30 days`;
  return left === undefined
    ? used
    : `${used}; about ${plural(left, 'more', 'more')} until the month ends (estimated)`;
}
