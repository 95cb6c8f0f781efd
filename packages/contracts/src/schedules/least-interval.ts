import { parseSchedule } from './parse-schedule.ts';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;
/** The calendar repeats after 28 years, if no century without a leap day lies between. */
const CYCLE_START = Date.UTC(2001, 0, 1);
const CYCLE_DAYS = 28 * 365.25;

/** The smallest number of days between two matching days, over a whole cycle of the calendar. */
function leastDays(matchesDay: (midnight: number) => boolean): number {
  let least = Infinity;
  let last = -Infinity;
  // The last interval may end in the next cycle, at most 8 years later.
  for (let day = 0; day <= CYCLE_DAYS + 8 * 366 && least > 1; day += 1) {
    if (!matchesDay(CYCLE_START + day * DAY_MS)) continue;
    least = Math.min(least, day - last);
    last = day;
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
  const { timesOfDay, matchesDay } = parseSchedule(schedule);
  const [first = 0] = timesOfDay;
  const last = timesOfDay.at(-1) ?? 0;
  const gaps = timesOfDay.slice(1).map((time, index) => time - (timesOfDay[index] ?? 0));
  const within = Math.min(Infinity, ...gaps);
  const overnight = DAY_MINUTES - last + first;
  if (within <= overnight || overnight * 60 >= enough) return Math.min(within, overnight) * 60;
  const days = leastDays(matchesDay);
  return Math.min(within, (days - 1) * DAY_MINUTES + overnight) * 60;
}
