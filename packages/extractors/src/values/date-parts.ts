/** A date as it is written; `offsetMinutes` is undefined where no zone is given. */
export interface DateParts {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  offsetMinutes?: number;
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

export const isRealDate = (parts: DateParts): boolean =>
  parts.year >= 1 &&
  parts.year <= 9999 &&
  parts.month >= 1 &&
  parts.month <= 12 &&
  parts.day >= 1 &&
  parts.day <= daysIn(parts.year, parts.month) &&
  (parts.hour ?? 0) <= 24 &&
  (parts.minute ?? 0) <= 59 &&
  (parts.second ?? 0) <= 60;

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** `2026-03-03`: the day as it is written, whatever the zone. */
export const formatDate = ({ year, month, day }: DateParts): string =>
  `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;

/** `2026-03-03T09:30:00.000Z`. A time without a zone is read as UTC. */
export const formatDatetime = (parts: DateParts): string => {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0, offsetMinutes = 0 } = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offsetMinutes, Math.min(second, 59), millisecond);
  return date.toISOString();
};

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
  jst: 540,
  kst: 540,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
};

/** Minutes east of UTC for `Z`, `+02:00`, `UTC+2`, `CEST`; undefined for anything else. */
export const readOffset = (text: string): number | undefined => {
  const word = text.trim().toLowerCase();
  const named = ZONES[word];
  if (named !== undefined) return named;
  const match = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(word);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return minutes > 14 * 60 + 59 ? undefined : match[1] === '-' ? -minutes : minutes;
};

const TIME =
  /(\d{1,2})(?::|h|\.(?=\d{2}\b)| Uhr ?)(\d{2})?(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\b\.?)?(?:\s*(Z\b|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?\b|[A-Z]{2,4}\b))?/i;

const HOUR_ONLY = /\b(\d{1,2})\s*([ap])\.?\s?m\b\.?/i;

const clock = (hour: number, half: string | undefined): number => {
  if (half === undefined) return hour;
  const twelve = hour % 12;
  return half.toLowerCase() === 'p' ? twelve + 12 : twelve;
};

/** The time of day in a text that follows a date; {} when there is none. */
export const readTime = (text: string): Partial<DateParts> => {
  const match = TIME.exec(text);
  if (!match || (match[2] === undefined && match[5] === undefined && !/uhr/i.test(match[0]))) {
    const hourOnly = HOUR_ONLY.exec(text);
    return hourOnly ? { hour: clock(Number(hourOnly[1]), hourOnly[2]), minute: 0 } : {};
  }
  const [, hour, minute, second, fraction, half, zone] = match;
  const offsetMinutes = zone === undefined ? undefined : readOffset(zone);
  return {
    hour: clock(Number(hour), half),
    minute: Number(minute ?? 0),
    ...(second === undefined ? {} : { second: Number(second) }),
    ...(fraction === undefined ? {} : { millisecond: Number(fraction.padEnd(3, '0').slice(0, 3)) }),
    ...(offsetMinutes === undefined ? {} : { offsetMinutes }),
  };
};
