import { parseSchedule, type Schedule } from './parse-schedule.ts';
import { timeZone, type TimeZone } from './time-zone.ts';

const DAY_MS = 86_400_000;

/**
 * Every hour matches: each minute fires whose reading of the clock matches, so an hour that the clocks repeat fires
 * twice, and one that they leave out doesn't.
 */
function nextOnWall(schedule: Schedule, zone: TimeZone, after: number): number | null {
  let from = after;
  let offset = zone.offsetAt(after);
  let change = zone.nextChange(after);
  for (;;) {
    const local = schedule.next(from + offset);
    if (local === null) return null;
    if (local - offset < change) return local - offset;
    // The reading at the change itself may match, so the search goes on just before it.
    from = change - 1;
    offset = zone.offsetAt(change);
    change = zone.nextChange(change);
  }
}

/** Some hours match: every matching date and time fires once, whatever happens to the clocks then. */
function nextOfDates(schedule: Schedule, zone: TimeZone, after: number): number | null {
  // A time that the clocks left out fires later than it reads: the search begins as long before.
  let local = schedule.next(after + Math.min(zone.offsetAt(after), zone.offsetAt(after - DAY_MS)));
  let best: number | null = null;
  while (local !== null && (best === null || local <= best + zone.offsetAt(best))) {
    const instant = zone.toInstant(local);
    if (instant > after && (best === null || instant < best)) best = instant;
    local = schedule.next(local);
  }
  return best;
}

const schedules = new Map<string, Schedule>();
const MAX_SCHEDULES = 1_000;

function readSchedule(text: string): Schedule {
  const known = schedules.get(text);
  if (known) return known;
  const schedule = parseSchedule(text);
  if (schedules.size >= MAX_SCHEDULES) schedules.clear();
  schedules.set(text, schedule);
  return schedule;
}

/**
 * When a cron fires next: the one computation behind previews, `next_run_at` and the queue.
 *
 * In UTC this is plain cron. Where clocks are set forward or back, a schedule whose hours are restricted fires once for
 * each date and time that it names: the first time if the clocks show it twice, and if they leave it out, as much
 * later as they are set forward. One that fires in every hour follows the clock on the wall.
 * @param after milliseconds since 1970; the answer is later
 * @returns milliseconds since 1970; null when it never fires again
 * @throws ScheduleError, RangeError (the time zone)
 */
export function nextFiring(schedule: string, zoneName: string, after: number): number | null {
  const parsed = readSchedule(schedule);
  const zone = timeZone(zoneName);
  return parsed.isEveryHour ? nextOnWall(parsed, zone, after) : nextOfDates(parsed, zone, after);
}

/** The next firings, ascending: at most `count`. @throws what `nextFiring` throws */
export function nextFirings(schedule: string, zoneName: string, after: number, count: number): number[] {
  const times: number[] = [];
  let time = nextFiring(schedule, zoneName, after);
  while (time !== null && times.length < count) {
    times.push(time);
    time = times.length < count ? nextFiring(schedule, zoneName, time) : null;
  }
  return times;
}
