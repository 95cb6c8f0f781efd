import type { SchemaElement } from 'hyparquet';
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';

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

// Without the converted type the writer would parse and format the text again, and numbers would lose digits.
const JSON_TEXT: ParquetColumn = {
  element: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
  read: (text) => Buffer.from(text),
};

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
  json: JSON_TEXT,
  jsonb: JSON_TEXT,
  'text[]': JSON_TEXT,
};

/** How a column is written: types without a counterpart, `numeric` with its digits among them, as text. */
export function parquetColumn(type: string): ParquetColumn {
  const known = /^timestamp(\(\d\))? with time zone$/.test(type) ? 'timestamptz' : type;
  return TYPES[known] ?? TEXT;
}

/** A row as texts in Postgres's form. */
export type TextRow = readonly (string | null)[];

/** A row group ends at this number of characters or rows; writing a larger one would keep the process busy for too long. */
const GROUP_CHARACTERS = 2_000_000;
const GROUP_ROWS = 20_000;

/** The characters of rows, with one for each cell. */
export function charactersOf(rows: readonly TextRow[]): number {
  let count = 0;
  for (const row of rows) for (const cell of row) count += 1 + (cell?.length ?? 0);
  return count;
}

/** Bytes or characters of the least and greatest value that the end of the file keeps of each group. */
const MOST_BOUND_LENGTH = 64;

/** Drops long bounds of the last group: the writer holds them to the end of the file, whole. */
function dropLongBounds({ row_groups }: ParquetWriter): void {
  for (const { meta_data } of row_groups.at(-1)?.columns ?? []) {
    const bounds = meta_data?.statistics;
    if (!bounds) continue;
    const texts = [bounds.min, bounds.max, bounds.min_value, bounds.max_value];
    const isLong = texts.some(
      (value) =>
        (typeof value === 'string' || value instanceof Uint8Array) && value.length > MOST_BOUND_LENGTH,
    );
    if (isLong)
      meta_data.statistics = bounds.null_count === undefined ? {} : { null_count: bounds.null_count };
  }
}

/** The bytes written since the last call. */
function takeBytes(writer: ByteWriter): Uint8Array {
  const bytes = Uint8Array.from(writer.getBytes());
  writer.index = 0;
  return bytes;
}

/**
 * A Parquet file in parts, with a row group for each few pages: memory holds one group, and some bytes of each group
 * before for the end of the file.
 */
export async function* parquetParts(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<readonly TextRow[]>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const kinds = columns.map(({ type }) => parquetColumn(type));
  const hyparquet = await import('hyparquet-writer');
  const bytes = new hyparquet.ByteWriter();
  const file = new hyparquet.ParquetWriter({
    writer: bytes,
    createdBy: 'gleaner',
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name }, index) => ({
        ...kinds[index]?.element,
        name,
        repetition_type: 'OPTIONAL' as const,
      })),
    ],
  });
  let rows: TextRow[] = [];
  let characters = 0;

  const writeGroup = async (): Promise<Uint8Array> => {
    const columnData = columns.map(({ name }, index) => {
      const read = kinds[index]?.read;
      const data = rows.map((row) => {
        const cell = row[index] ?? null;
        return cell === null ? undefined : read?.(cell);
      });
      return { name, data, offsetIndex: false };
    });
    await file.write({ columnData, rowGroupSize: rows.length });
    dropLongBounds(file);
    rows = [];
    characters = 0;
    return takeBytes(bytes);
  };

  for await (const page of pages) {
    rows.push(...page);
    characters += charactersOf(page);
    if (rows.length > 0 && (characters >= GROUP_CHARACTERS || rows.length >= GROUP_ROWS))
      yield await writeGroup();
  }
  if (rows.length > 0) yield await writeGroup();
  await file.finish();
  yield takeBytes(bytes);
}
