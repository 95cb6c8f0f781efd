/** The parts of a written date; `offsetMinutes` is undefined without a zone. */
export interface DateParts {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  offsetMinutes?: number;
  /** A zone that is ambiguous: `IST` names three. */
  unknownZone?: string;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function isRealDate(parts: DateParts): boolean {
  return (
    parts.year >= 1 &&
    parts.year <= 9999 &&
    parts.month >= 1 &&
    parts.month <= 12 &&
    parts.day >= 1 &&
    parts.day <= daysIn(parts.year, parts.month) &&
    (parts.hour ?? 0) <= 24 &&
    (parts.minute ?? 0) <= 59 &&
    (parts.second ?? 0) <= 60
  );
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** `2026-03-03`: the written day, regardless of the zone. */
export function formatDate({ year, month, day }: DateParts): string {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `2026-03-03T09:30:00.000Z`. A time without a zone is read as UTC. */
export function formatDatetime(parts: DateParts): string {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0, offsetMinutes = 0 } = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offsetMinutes, Math.min(second, 59), millisecond);
  return date.toISOString();
}

const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  ut: 0,
  wet: 0,
  bst: 60,
  cet: 60,
  mez: 60,
  west: 60,
  cest: 120,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  pkt: 300,
  ict: 420,
  awst: 480,
  hkt: 480,
  sgt: 480,
  jst: 540,
  kst: 540,
  acst: 570,
  aest: 600,
  acdt: 630,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
};

/** Minutes east of UTC for `Z`, `+02:00`, `UTC+2`, `CEST`; undefined for anything else. */
export function readOffset(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  const named = ZONES[word];
  if (named !== undefined) return named;
  const match = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(word);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return minutes > 14 * 60 + 59 ? undefined : match[1] === '-' ? -minutes : minutes;
}

const TIME =
  /(\d{1,2})(?::|h|\.(?=\d{2}\b)| Uhr ?)(\d{2})?(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\b\.?)?/gi;

const HOUR_ONLY = /\b(\d{1,2})\s*([ap])\.?\s?m\b\.?/gi;

function clock(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  const twelve = hour % 12;
  return half.toLowerCase() === 'p' ? twelve + 12 : twelve;
}

const ZONE = /^\s*(?:\(\s*)?(Z\b|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?\b|[A-Z]{2,5}\b(?![/.]))/i;
/** `America/New_York`, `Eastern Time`: zones with an offset that depends on the day. */
const ZONE_NAME =
  /^\s*(?:[([]\s*)?([A-Z][A-Za-z]+\/[A-Z]\w+|(?:Eastern|Central|Pacific|Mountain)\b|(?:[A-Z][a-z]+ ){1,3}Time\b)/;
/** Words in capitals that can follow a time and are not zones. */
const NO_ZONES = new Set(
  `AM PM UHR HRS HR HS BY ON AT IN OF TO DE LE EL IL AND THE FOR VON DEN MON TUE TUES WED THU THUR THURS FRI SAT SUN
  JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC MARCH APRIL JUNE JULY`.split(/\s+/),
);

/** The zone at the start of the text after a time, and the zone's length. */
function readZone(text: string): { parts: Partial<DateParts>; length: number } {
  const match = ZONE.exec(text);
  const zone = match?.[1];
  if (match !== null && zone !== undefined) {
    const offsetMinutes = readOffset(zone);
    if (offsetMinutes !== undefined) return { parts: { offsetMinutes }, length: match[0].length };
    if (/^[A-Z]+$/.test(zone) && !NO_ZONES.has(zone))
      return { parts: { unknownZone: zone }, length: match[0].length };
  }
  const name = ZONE_NAME.exec(text);
  return name?.[1] === undefined
    ? { parts: {}, length: 0 }
    : { parts: { unknownZone: name[1] }, length: name[0].length };
}

interface FoundTime {
  parts: Partial<DateParts>;
  end: number;
}

function withZone(text: string, match: RegExpExecArray, time: Partial<DateParts>): FoundTime {
  const end = match.index + match[0].length;
  const zone = readZone(text.slice(end));
  return { parts: { ...time, ...zone.parts }, end: end + zone.length };
}

function timeOf(text: string, match: RegExpExecArray): FoundTime | undefined {
  const [whole, hour, minute, second, fraction, half] = match;
  if (minute === undefined && half === undefined && !/uhr/i.test(whole)) return undefined;
  return withZone(text, match, {
    hour: clock(Number(hour), half),
    minute: Number(minute ?? 0),
    ...(second === undefined ? {} : { second: Number(second) }),
    ...(fraction === undefined ? {} : { millisecond: Number(fraction.padEnd(3, '0').slice(0, 3)) }),
  });
}

function hourOf(text: string, match: RegExpExecArray): FoundTime {
  return withZone(text, match, { hour: clock(Number(match[1]), match[2]), minute: 0 });
}

/** The time of day in the text after a date; {} when there is none. */
export function readTime(text: string): Partial<DateParts> {
  const [first] = text.matchAll(TIME);
  const time = first === undefined ? undefined : timeOf(text, first);
  if (time !== undefined) return time.parts;
  const [hour] = text.matchAll(HOUR_ONLY);
  return hour === undefined ? {} : hourOf(text, hour).parts;
}

/** The text between a time and its date: `10:30 AM on Tuesday, `. */
const BETWEEN =
  /^\)?[\s,;|·•–—-]*(?:Uhr\b[\s,]*)?(?:(?:on|am|le|el|il|em|op|den|of)\s+)?(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+|\p{L}{2,14},\s+)?(?:the\s+)?$/iu;

/** The time of day right before a date; {} when there is none. */
export function readTimeBefore(text: string): Partial<DateParts> {
  for (const [pattern, read] of [
    [TIME, timeOf],
    [HOUR_ONLY, hourOf],
  ] as const) {
    const last = [...text.matchAll(pattern)].at(-1);
    const time = last === undefined ? undefined : read(text, last);
    if (time !== undefined && BETWEEN.test(text.slice(time.end))) return time.parts;
  }
  return {};
}
