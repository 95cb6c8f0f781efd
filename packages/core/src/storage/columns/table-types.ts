import { isSinkType, typeParts, toStorableJson, toStorableText, toStorableTime } from '@gleaner/contracts';
import { fitNumber, fitNumeral } from './fit-number.ts';

/** The type of a table's column, in the notation of `sink.types`: `varchar(20)`, `numeric(10,2)`, `timestamptz`. */
export type TableType = string;

/** Numbers that an existing column may have and a new one may not: its digits end before, or begin after, its point. */
const OTHER_NUMERIC = /^numeric\(\d+,-?\d+\)$/;

/** Parses a column type as Postgres formats it; undefined for types that sinks don't write. */
export function readColumnType(type: string): TableType | undefined {
  const short = type
    .replace(/^character varying/, 'varchar')
    .replace(/^character\(/, 'char(')
    .replace(/^timestamp(\(\d\))? with time zone$/, 'timestamptz$1')
    .replace(/^(time(?:stamp)?(?:\(\d\))?) without time zone$/, '$1');
  if (short === 'varchar') return 'text';
  return isSinkType(short) || OTHER_NUMERIC.test(short) ? short : undefined;
}

/** A type of `sink.types` as `readColumnType` gives it. */
export function asFormatted(type: string): TableType {
  return type.replace(', ', ',').replace(/^numeric\((\d+)\)$/, 'numeric($1,0)');
}

/** Types whose values can't be compared with those that are sent, so that no key has them. */
export function canBeKey(type: TableType): boolean {
  return type !== 'json' && type !== 'jsonb' && type !== 'text[]';
}

/** The type of a value that is sent for a column: without a size, because a cast to one would cut the value. */
export function wireType(type: TableType): string {
  const { base } = typeParts(type);
  if (base === 'char') return 'bpchar';
  // An array of arrays would lose its inner bounds.
  return base === 'varchar' || base === 'text[]' ? 'text' : base;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Digits of a second's fraction in Postgres. */
const FRACTION_DIGITS = 6;

/** Whether the calendar has the day. `Date` reads 30 February as a day of March. */
function isRealDate(text: string): boolean {
  if (!DATE.test(text) || text < '0001') return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** The digits of a second's fraction, at least three; undefined when the column has fewer than are needed. */
function fitFraction(digits: string, most: number): string | undefined {
  const needed = withoutEnd(digits, '0');
  return needed.length > most ? undefined : needed.padEnd(3, '0');
}

/** The canonical form of a time: ISO 8601 in UTC with milliseconds, or microseconds where the text has them. */
function fitTimestamp(value: unknown, most = FRACTION_DIGITS): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = DATETIME.exec(value);
  if (match === null) return isRealDate(value) ? `${value}T00:00:00.000Z` : undefined;
  const fraction = fitFraction(match[1] ?? '', most);
  if (fraction === undefined || !isRealDate(value.slice(0, 10))) return undefined;
  const time = toStorableTime(new Date(match[2] === undefined ? `${value.replace(' ', 'T')}Z` : value));
  return time?.replace(/\d{3}Z$/, `${fraction}Z`);
}

function fitTimeOfDay(value: unknown, most = FRACTION_DIGITS): string | undefined {
  const [, hour, minute, second = '00', digits = ''] = (typeof value === 'string' && TIME.exec(value)) || [];
  const fraction = fitFraction(digits, most);
  return hour === undefined || fraction === undefined ? undefined : `${hour}:${minute}:${second}.${fraction}`;
}

function fitText(value: unknown, most = Number.POSITIVE_INFINITY): string | undefined {
  if (typeof value !== 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? fitText(String(value), most) : undefined;
  const text = toStorableText(value);
  // A character is one or two UTF-16 units.
  return text.length <= most || (text.length <= most * 2 && Array.from(text).length <= most)
    ? text
    : undefined;
}

/** Spaces at the end of a `char` mean nothing. */
function fitCharacters(value: unknown, size?: number): string | undefined {
  const text = fitText(value);
  return text === undefined ? undefined : fitText(withoutEnd(text, ' '), size);
}

function fitUuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || !UUID.test(value)) return undefined;
  const digits = value.toLowerCase().replaceAll('-', '');
  return [8, 12, 16, 20, 32].map((end, index, ends) => digits.slice(ends[index - 1] ?? 0, end)).join('-');
}

function fitTexts(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const cells: (string | null)[] = [];
  for (const one of value as unknown[]) {
    const cell = one === null || one === undefined ? null : fitText(one);
    if (cell === undefined) return undefined;
    cells.push(cell);
  }
  return toArrayLiteral(cells, 'text');
}

function fitOther(value: unknown, type: TableType): string | undefined {
  const { base, size } = typeParts(type);
  if (base === 'varchar') return fitText(value, size);
  if (base === 'char') return fitCharacters(value, size);
  if (base === 'time') return fitTimeOfDay(value, size);
  if (base === 'timestamp') return fitTimestamp(value, size)?.slice(0, -1);
  if (base === 'timestamptz') return fitTimestamp(value, size);
  return typeof value === 'number' ? fitNumber(value, type) : undefined;
}

const FITS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  text: (value) => fitText(value),
  'double precision': (value) =>
    typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
  bigint: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value.toFixed(0) : undefined,
  boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  date: (value) => (typeof value === 'string' && isRealDate(value) ? value : undefined),
  timestamptz: (value) => fitTimestamp(value),
  uuid: fitUuid,
  json: toStorableJson,
  jsonb: toStorableJson,
  'text[]': fitTexts,
};

/**
 * A value in Postgres's text form for a column of this type; undefined when the type would change it: a fraction, a digit
 * or a character would be lost. Values that Postgres considers equal get the same text. A time without a zone is read as
 * UTC; numbers and booleans fit a text column; anything fits jsonb.
 */
export function fitValue(value: unknown, type: TableType): string | undefined {
  const fit = Object.hasOwn(FITS, type) ? FITS[type] : undefined;
  return fit === undefined ? fitOther(value, type) : fit(value);
}

/** `fitValue` of a value that came with an input: a CSV has only texts, so one that reads as a number or a boolean is one. */
export function fitCarried(value: unknown, type: TableType): string | undefined {
  const fitted = fitValue(value, type);
  if (fitted !== undefined || typeof value !== 'string') return fitted;
  return value === 'true' || value === 'false' ? fitValue(value === 'true', type) : fitNumeral(value, type);
}

/** Types with a text form that never contains quotes, commas, braces or backslashes. */
const BARE = /^(double precision|bigint|integer|smallint|numeric|real|boolean|date|time|uuid)/;

const SPECIAL = /["\\]/;
const SPECIALS = /["\\]/g;

/** The values of one column as a Postgres array, so that a batch is one statement with one parameter per column. */
export function toArrayLiteral(cells: readonly (string | null)[], type: TableType): string {
  const isBare = BARE.test(type);
  let text = '{';
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? null;
    if (index > 0) text += ',';
    if (cell === null) text += 'NULL';
    else if (isBare) text += cell;
    else text += SPECIAL.test(cell) ? `"${cell.replace(SPECIALS, String.raw`\$&`)}"` : `"${cell}"`;
  }
  return `${text}}`;
}
