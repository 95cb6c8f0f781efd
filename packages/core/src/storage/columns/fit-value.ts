import { toStorableJson, toStorableText, toStorableTime, type ColumnType } from '@gleaner/contracts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Whether the calendar has the day. `Date` reads 30 February as a day of March. */
function isRealDate(text: string): boolean {
  if (!DATE.test(text) || text < '0001') return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/** The canonical form of a time: ISO 8601 in UTC with milliseconds. */
function fitTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = DATETIME.exec(value);
  if (match === null) return isRealDate(value) ? `${value}T00:00:00.000Z` : undefined;
  if (!isRealDate(value.slice(0, 10))) return undefined;
  return toStorableTime(new Date(match[1] === undefined ? `${value.replace(' ', 'T')}Z` : value));
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
