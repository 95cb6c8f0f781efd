import {
  COLUMN_TYPES,
  type ColumnType,
  type META_COLUMNS,
  toStorableJson,
  toStorableText,
  toStorableTime,
} from '@gleaner/contracts';

/** The kind of a column's values for filters, orders and responses. */
export type ColumnKind = 'text' | 'number' | 'boolean' | 'date' | 'timestamptz' | 'jsonb' | 'other';

/** @param type in the notation of format_type */
export function columnKind(type: string): ColumnKind {
  if (/^(text|character varying|character|citext)\b(?!.*\[\])/.test(type)) return 'text';
  if (/^(smallint|integer|bigint|numeric|real|double precision)\b(?!.*\[\])/.test(type)) return 'number';
  if (/^timestamp.* with time zone$/.test(type)) return 'timestamptz';
  if (type === 'boolean' || type === 'date' || type === 'jsonb') return type;
  return 'other';
}

const WHOLE = /^-?\d+$/;

/** Whole numbers of JSON that a double can't hold exactly become text, like those of columns. */
function keepDigits(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || !WHOLE.test(source)) return value;
  return Number.isFinite(value) && BigInt(value) === BigInt(source) ? value : source;
}

/**
 * Converts a value in Postgres's text form to JSON. Numbers that a double can't hold exactly and types without a JSON
 * equivalent stay text. Times are already ISO 8601.
 */
export function readCell(text: string | null, type: string): unknown {
  if (text === null) return null;
  const kind = columnKind(type);
  if (kind === 'boolean') return text === 'true' || text === 't';
  if (kind === 'jsonb') return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  if (kind !== 'number') return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return type === 'double precision' ||
    type === 'real' ||
    Number.isSafeInteger(number) ||
    String(number) === text
    ? number
    : text;
}

/** A column according to a parser's schema or an API's output schema. */
export interface SinkColumn {
  name: string;
  type: ColumnType;
  nullable: boolean;
  /** Part of the row's identity. */
  key: boolean;
  /** Path of the value in the row's data (`identity.id`). When absent, the field has the column's name. */
  path?: string;
}

export type MetaColumn = (typeof META_COLUMNS)[number];

export const META_TYPES: Readonly<Record<MetaColumn, ColumnType>> = {
  _url: 'text',
  _fetched_at: 'timestamptz',
  _run_id: 'text',
};

export function isMetaColumn(name: string): name is MetaColumn {
  return Object.hasOwn(META_TYPES, name);
}

/** Parses a column type as Postgres formats it; undefined for types that sinks don't write. */
export function readColumnType(type: string): ColumnType | undefined {
  if (/^timestamp(\(\d\))? with time zone$/.test(type)) return 'timestamptz';
  if (/^character varying$/.test(type)) return 'text';
  return COLUMN_TYPES.find((known) => known === type);
}

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

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** `fitValue` of a value that came with an input: a CSV has only texts, so one that reads as a number or a boolean is one. */
export function fitCarried(value: unknown, type: ColumnType): string | undefined {
  const fitted = fitValue(value, type);
  if (fitted !== undefined || typeof value !== 'string') return fitted;
  const isPlain = PLAIN_NUMBER.test(value) || value === 'true' || value === 'false';
  return isPlain ? fitValue(JSON.parse(value), type) : undefined;
}

/** Types with a text form that never contains quotes, commas, braces or backslashes. */
const BARE = new Set<ColumnType>(['double precision', 'bigint', 'boolean', 'date', 'timestamptz']);

const SPECIAL = /["\\]/;
const SPECIALS = /["\\]/g;

/** The values of one column as a Postgres array, so that a batch is one statement with one parameter per column. */
export function toArrayLiteral(cells: readonly (string | null)[], type: ColumnType): string {
  const isBare = BARE.has(type);
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
