import { parseSchedule, type Schedule } from './parse-schedule.ts';
import { remember, timeZone, type TimeZone } from './time-zone.ts';

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

const DAY_MS = 86_400_000;

/**
 * For schedules that match every hour: each minute with a matching local time fires. A repeated hour fires twice, and a
 * skipped hour doesn't fire.
 */
function nextOnWall(schedule: Schedule, zone: TimeZone, after: number): number | null {
  let from = after;
  let offset = zone.offsetAt(after);
  let change = zone.nextChange(after);
  for (;;) {
    const local = schedule.next(from + offset);
    if (local === null) return null;
    if (local - offset < change) return local - offset;
    // The local time at the change itself may match, so the search continues just before it.
    from = change - 1;
    offset = zone.offsetAt(change);
    change = zone.nextChange(change);
  }
}

/** For schedules that match only some hours: every matching date and time fires once, despite clock changes. */
function nextOfDates(schedule: Schedule, zone: TimeZone, after: number): number | null {
  // A skipped time fires later than its local time, so the search begins earlier by the same amount.
  let local = schedule.next(after + Math.min(zone.offsetAt(after), zone.offsetAt(after - DAY_MS)));
  let best: number | null = null;
  while (local !== null && (best === null || local <= best + zone.offsetAt(best))) {
    const instant = zone.toInstant(local);
    if (instant > after && (best === null || instant < best)) best = instant;
    local = schedule.next(local);
  }
  return best;
}

const readSchedule = remember(parseSchedule);

/**
 * The next firing of a cron. Previews, `next_run_at` and the queue all use this function.
 *
 * In UTC this is plain cron. In zones with clock changes, a schedule with restricted hours fires once for each matching
 * date and time: a repeated time fires the first time, and a skipped time fires later by the length of the change. A
 * schedule that fires in every hour follows local time.
 * @param after milliseconds since 1970; the result is later
 * @returns milliseconds since 1970; null when it never fires again
 * @throws ScheduleError, RangeError (the time zone)
 */
export function nextFiring(schedule: string, zoneName: string, after: number): number | null {
  const parsed = readSchedule(schedule);
  const zone = timeZone(zoneName);
  return parsed.isEveryHour ? nextOnWall(parsed, zone, after) : nextOfDates(parsed, zone, after);
}

/** At most `count` next firings, ascending. @throws the errors of `nextFiring` */
export function nextFirings(schedule: string, zoneName: string, after: number, count: number): number[] {
  const times: number[] = [];
  let time = nextFiring(schedule, zoneName, after);
  while (time !== null && times.length < count) {
    times.push(time);
    time = times.length < count ? nextFiring(schedule, zoneName, time) : null;
  }
  return times;
}
