import type { SchemaElement } from 'hyparquet';

/** A column of an export. */
export interface ExportColumn {
  name: string;
  /** As Postgres's format_type writes it. */
  type: string;
}

interface ParquetColumn {
  element: Omit<SchemaElement, 'name'>;
  /** A value of Postgres's text form as the writer takes it; undefined: the type can't hold it. */
  read: (text: string) => unknown;
}

const TEXT: ParquetColumn = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  read: (text) => text,
};

const INTEGER: ParquetColumn = { element: { type: 'INT32' }, read: Number };
const NUMBER: ParquetColumn = { element: { type: 'DOUBLE' }, read: Number };

/** Infinite times, and those that JavaScript's calendar can't hold, are absent. */
function readTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

const TYPES: Readonly<Record<string, ParquetColumn>> = {
  smallint: INTEGER,
  integer: INTEGER,
  bigint: { element: { type: 'INT64' }, read: BigInt },
  real: NUMBER,
  'double precision': NUMBER,
  boolean: { element: { type: 'BOOLEAN' }, read: (text) => text === 'true' || text === 't' },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    read: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? readTime(text) : undefined),
  },
  timestamptz: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    read: readTime,
  },
  // Without the converted type the writer would parse and format the text again, and numbers would lose digits.
  jsonb: {
    element: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
    read: (text) => Buffer.from(text),
  },
};

/** How a column is written: types without a counterpart, `numeric` with its digits among them, as text. */
export function parquetColumn(type: string): ParquetColumn {
  const known = /^timestamp(\(\d\))? with time zone$/.test(type) ? 'timestamptz' : type;
  return TYPES[known] ?? TEXT;
}
