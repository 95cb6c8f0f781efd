import { toStorableText, toStorableJson, type ColumnType } from '@gleaner/contracts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isRealDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= days;
}

/** The canonical form of a time: ISO 8601 in UTC with milliseconds. */
function fitTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = DATETIME.exec(value);
  if (match === null) return isRealDate(value) ? `${value}T00:00:00.000Z` : undefined;
  if (!isRealDate(value.slice(0, 10))) return undefined;
  const time = new Date(match[1] === undefined ? `${value.replace(' ', 'T')}Z` : value);
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString() : undefined;
}

function fitText(value: unknown): string | undefined {
  if (typeof value === 'string') return toStorableText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const FITS: Readonly<Record<ColumnType, (value: unknown) => string | undefined>> = {
  text: fitText,
  'double precision': (value) =>
    typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  bigint: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value.toFixed(0) : undefined,
  boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  date: (value) => (typeof value === 'string' && isRealDate(value) ? value : undefined),
  timestamptz: fitTime,
  jsonb: toStorableJson,
};

/**
 * A value in Postgres's text form for a column of this type; undefined when it doesn't fit without loss. Values that
 * Postgres considers equal get the same text. A time without a zone is read as UTC; numbers and booleans fit a text
 * column; anything fits jsonb.
 */
export function fitValue(value: unknown, type: ColumnType): string | undefined {
  return FITS[type](value);
}
