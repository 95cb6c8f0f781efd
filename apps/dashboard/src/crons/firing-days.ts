import { resultOf, type Firing, type Result } from './words.ts';

/** One day of the calendar. */
export interface FiringDay {
  /** `2027-03-28`, in the zone of the cron. */
  date: string;
  counts: Partial<Record<Result, number>>;
  /** The worst result of the day, which gives the day its colour. */
  worst: Result | undefined;
}

const WORST_FIRST: readonly Result[] = ['failed', 'faulty', 'missed', 'skipped', 'queued', 'started'];
const DAY_MS = 86_400_000;

function dayIn(zone: string): (at: string | number) => string {
  // The Swedish form is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  return (at) => format.format(new Date(at));
}

/** The days that end today, oldest first, each with what fired on it. */
export function groupByDay(
  firings: readonly Pick<Firing, 'scheduled_at' | 'outcome' | 'run'>[],
  { zone, days, now }: { zone: string; days: number; now: number },
): FiringDay[] {
  const dayOf = dayIn(zone);
  const grouped = new Map<string, FiringDay['counts']>();
  for (const firing of firings) {
    const date = dayOf(firing.scheduled_at);
    const counts = grouped.get(date) ?? {};
    const result = resultOf(firing);
    counts[result] = (counts[result] ?? 0) + 1;
    grouped.set(date, counts);
  }
  // Counted in UTC from today's date: a day of the zone may have 23 or 25 hours.
  const today = Date.parse(`${dayOf(now)}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const counts = grouped.get(date) ?? {};
    return { date, counts, worst: WORST_FIRST.find((result) => counts[result] !== undefined) };
  });
}
