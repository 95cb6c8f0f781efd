import type { ColumnType, META_COLUMNS } from '@gleaner/contracts';
import type { TableType } from './table-types.ts';

/** The kind of a column's values for filters, orders and responses. */
export type ColumnKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid'
  | 'jsonb'
  | 'texts'
  | 'other';

/** @param type in the notation of format_type */
export function columnKind(type: string): ColumnKind {
  if (/^(text|character varying|character|citext)\b(?!.*\[\])/.test(type)) return 'text';
  if (/^(smallint|integer|bigint|numeric|real|double precision)\b(?!.*\[\])/.test(type)) return 'number';
  if (/^timestamp.* with time zone$/.test(type)) return 'timestamptz';
  if (/^timestamp.* without time zone$/.test(type)) return 'timestamp';
  if (/^time.* without time zone$/.test(type)) return 'time';
  if (type === 'boolean' || type === 'date' || type === 'uuid' || type === 'jsonb') return type;
  if (type === 'json') return 'jsonb';
  return type === 'text[]' ? 'texts' : 'other';
}

const WHOLE = /^-?\d+$/;

/** Whole numbers of jsonb that a double can't hold exactly become text, like those of columns. Postgres writes 1e21 with all its digits. */
function keepDigits(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || !WHOLE.test(source)) return value;
  return Number.isFinite(value) && BigInt(value) === BigInt(source) ? value : source;
}

/** Digits that each number of JSON keeps. */
const SAFE_DIGITS = 15;

/** Whether a number of JSON gives back what `text` says: also `1.50`, which a column of two decimals writes for 1.5. */
function isExact(text: string, number: number): boolean {
  if (!text.includes('.')) return Number.isSafeInteger(number);
  const digits = text.replace(/^[-0.]+/, '').replace('.', '');
  const end = digits.search(/[1-9]0*$/) + 1;
  return end <= SAFE_DIGITS || String(number) === text;
}

/**
 * The text of a value as it is shown: times without a zone, which sinks write in UTC, as ISO 8601. Infinite times and times
 * BC have no such form and stay.
 */
export function showTimestamp(text: string): string {
  const [, day, time = '', fraction = ''] = TIMESTAMP.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?$/;

/**
 * Converts a value in Postgres's text form to JSON. Numbers that a double can't hold exactly and types without a JSON
 * equivalent stay text. Times are ISO 8601.
 */
export function readCell(text: string | null, type: string): unknown {
  if (text === null) return null;
  const kind = columnKind(type);
  if (kind === 'boolean') return text === 'true' || text === 't';
  if (kind === 'jsonb' || kind === 'texts')
    return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  if (kind === 'timestamp') return showTimestamp(text);
  if (kind !== 'number') return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return type === 'double precision' || type === 'real' || isExact(text, number) ? number : text;
}

/** A column according to a parser's schema or an API's output schema. */
export interface SinkColumn {
  name: string;
  type: TableType;
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
