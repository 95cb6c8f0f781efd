import { cleanText, toCleanJson } from './clean-text.ts';
import type { ColumnType } from './sink-column.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

const isRealDate = (text: string): boolean => {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || year === '0000') return false;
  const time = new Date(`${text}T00:00:00Z`);
  return (
    !Number.isNaN(time.getTime()) &&
    time.getUTCMonth() + 1 === Number(month) &&
    time.getUTCDate() === Number(day)
  );
};

const fitTime = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const [, date, zone] = DATETIME.exec(value) ?? [];
  if (date === undefined) return isRealDate(value) ? `${value}T00:00:00.000Z` : undefined;
  if (!isRealDate(date)) return undefined;
  const time = new Date(zone === undefined ? `${value.replace(' ', 'T')}Z` : value);
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999
    ? undefined
    : time.toISOString();
};

const fitText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return cleanText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

const FITS: Readonly<Record<ColumnType, (value: unknown) => string | undefined>> = {
  text: fitText,
  'double precision': (value) =>
    typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  bigint: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value.toFixed(0) : undefined,
  boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  date: (value) => (typeof value === 'string' && isRealDate(value) ? value : undefined),
  timestamptz: fitTime,
  jsonb: toCleanJson,
};

/**
 * A value in Postgres's text form for a column of this type, the same text for values that Postgres takes as equal, or
 * undefined when it doesn't fit without loss. A time
 * without a zone is read as UTC; numbers and booleans fit a text column; anything fits jsonb.
 */
export const fitValue = (value: unknown, type: ColumnType): string | undefined => FITS[type](value);
