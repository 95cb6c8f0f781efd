import { Temporal } from 'temporal-polyfill';

const DAY_MS = 86_400_000;
/** The shape of names in the IANA database. It excludes offsets such as +01:00, which Intl also accepts. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

/** A period of a time zone with a constant offset to UTC. Times are milliseconds since 1970. */
interface Period {
  from: number;
  /** The first millisecond after it. */
  to: number;
  offset: number;
}

export type TimeZone = ReturnType<typeof openTimeZone>;

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

/** The clock changes of a time zone. `local` times are local clock times, in milliseconds as if they were UTC. */
function openTimeZone(name: string) {
  if (!isTimeZone(name)) throw new RangeError(`there is no time zone ${name}`);
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
    /** The next clock change after this instant; infinite when there is none. */
    nextChange: (instant: number): number => periodAt(instant).to,
    /**
     * The instant of a local time; the first instant of a repeated time. For a skipped time, the instant later by the length
     * of the clock change.
     */
    toInstant: (local: number): number => {
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

/** Remembers what was made of texts, up to a thousand. */
export function remember<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (made.size >= 1_000) made.clear();
    made.set(text, value);
    return value;
  };
}

/** @throws RangeError when there is no such time zone */
export const timeZone = remember(openTimeZone);
