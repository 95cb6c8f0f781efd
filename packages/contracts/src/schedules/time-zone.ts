import { Temporal } from 'temporal-polyfill';

const DAY_MS = 86_400_000;
/** The shape of names in the IANA database. It excludes offsets such as +01:00, which Intl also accepts. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;
const MAX_ZONES = 1_000;

/** A period of a time zone with a constant offset to UTC. Times are milliseconds since 1970. */
interface Period {
  from: number;
  /** The first millisecond after it. */
  to: number;
  offset: number;
}

/** The clock changes of a time zone. `local` times are local clock times, in milliseconds as if they were UTC. */
export interface TimeZone {
  offsetAt: (instant: number) => number;
  /** The next clock change after this instant; infinite when there is none. */
  nextChange: (instant: number) => number;
  /**
   * The instant of a local time; the first instant of a repeated time. For a skipped time, the instant later by the length
   * of the clock change.
   */
  toInstant: (local: number) => number;
}

export function isTimeZone(name: string): boolean {
  if (!NAME.test(name) || name.length > 64) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function readPeriod(name: string, instant: number): Period {
  const time = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
  // The previous change is searched from the next millisecond on, so that a change at this instant counts.
  const before = time.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const after = time.getTimeZoneTransition('next');
  return {
    from: before?.epochMilliseconds ?? -Infinity,
    to: after?.epochMilliseconds ?? Infinity,
    offset: Math.round(time.offsetNanoseconds / 1e6),
  };
}

function openTimeZone(name: string): TimeZone {
  const periods: Period[] = [];
  let latest: Period | undefined;
  const periodAt = (instant: number): Period => {
    if (latest && latest.from <= instant && instant < latest.to) return latest;
    let found = periods.find(({ from, to }) => from <= instant && instant < to);
    if (!found) {
      found = readPeriod(name, instant);
      periods.push(found);
    }
    latest = found;
    return found;
  };
  const offsetAt = (instant: number): number => periodAt(instant).offset;
  return {
    offsetAt,
    nextChange: (instant) => periodAt(instant).to,
    toInstant: (local) => {
      const before = offsetAt(local - DAY_MS);
      const after = offsetAt(local + DAY_MS);
      const first = local - Math.max(before, after);
      const second = local - Math.min(before, after);
      if (offsetAt(first) === local - first) return first;
      if (offsetAt(second) === local - second) return second;
      return local - before;
    },
  };
}

const zones = new Map<string, TimeZone>();

/** @throws RangeError when there is no such time zone */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  if (!isTimeZone(name)) throw new RangeError(`there is no time zone ${name}`);
  if (zones.size >= MAX_ZONES) zones.clear();
  const zone = openTimeZone(name);
  zones.set(name, zone);
  return zone;
}
