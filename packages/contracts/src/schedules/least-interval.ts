import { parseSchedule } from './parse-schedule.ts';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;
/** The calendar repeats after 28 years, if no century without a leap day lies between. */
const CYCLE_START = Date.UTC(2001, 0, 1);
const CYCLE_DAYS = 28 * 365.25;

/** The smallest number of days between two matching days, over a whole cycle of the calendar. */
function leastDays(nextDay: (after: number) => number | null): number {
  let least = Infinity;
  let day = nextDay(CYCLE_START - DAY_MS);
  const end = CYCLE_START + CYCLE_DAYS * DAY_MS;
  while (day !== null && day <= end && least > 1) {
    const following = nextDay(day);
    if (following !== null) least = Math.min(least, (following - day) / DAY_MS);
    day = following;
  }
  return least;
}

/**
 * The smallest interval between two firings of a schedule in seconds, over its full cycle. Clock changes, which can
 * bring two firings closer, are ignored. Infinite when it never fires.
 * @param enough the search may end at an interval of at most this many seconds
 * @throws ScheduleError
 */
export function leastIntervalSeconds(schedule: string, enough = Infinity): number {
  const { timesOfDay, nextDay } = parseSchedule(schedule);
  const [first = 0] = timesOfDay;
  const last = timesOfDay.at(-1) ?? 0;
  const gaps = timesOfDay.slice(1).map((time, index) => time - (timesOfDay[index] ?? 0));
  const within = Math.min(Infinity, ...gaps);
  const overnight = DAY_MINUTES - last + first;
  if (within <= overnight || overnight * 60 >= enough) return Math.min(within, overnight) * 60;
  const days = leastDays(nextDay);
  return Math.min(within, (days - 1) * DAY_MINUTES + overnight) * 60;
}
