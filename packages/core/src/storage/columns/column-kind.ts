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

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** The reviver's third argument is newer than the type library. */
function parseWithSource(text: string, reviver: SourceReviver): unknown {
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

const WHOLE = /^-?\d+$/;

function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && BigInt(value) === BigInt(source);
}

/** jsonb as JSON. Whole numbers that a double can't hold exactly become text, like those of columns. */
function readJson(text: string): unknown {
  return /\d{16}/.test(text)
    ? parseWithSource(text, (_key, value, { source = '' }) =>
        typeof value === 'number' && WHOLE.test(source) && !isExact(value, source) ? source : value,
      )
    : JSON.parse(text);
}

/**
 * Converts a value in Postgres's text form to JSON. Numbers that a double can't hold exactly and types without a JSON
 * equivalent stay text. Times are already ISO 8601.
 */
export function readCell(text: string | null, type: string): unknown {
  if (text === null) return null;
  const kind = columnKind(type);
  if (kind === 'boolean') return text === 'true' || text === 't';
  if (kind === 'jsonb') return readJson(text);
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
