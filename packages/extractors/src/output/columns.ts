import { SECOND_COLUMNS } from '@gleaner/contracts/values';
import type { FieldObject, Fields, FieldType, ParserSchema, ColumnType } from '@gleaner/contracts';
import { asObject, isListField, isNullable } from './field-shape.ts';

export interface OutputColumn {
  name: string;
  type: ColumnType;
  nullable: boolean;
  /** Part of the row's identity. */
  key: boolean;
  /** Path of the value in the row's data, where it isn't the value of the field with the column's name. */
  path?: string;
}

/** Money and ratings have two columns, the second for the currency and for the best of the scale. */
const COLUMN_TYPES = {
  string: 'text',
  number: 'double precision',
  integer: 'bigint',
  money: 'double precision',
  duration: 'double precision',
  rating: 'double precision',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  url: 'text',
  html: 'text',
  text: 'text',
  markdown: 'text',
  json: 'jsonb',
  table: 'jsonb',
} satisfies Record<FieldType, ColumnType>;

function columnType(field: FieldObject): ColumnType {
  if (field.fields !== undefined || isListField(field)) return 'jsonb';
  if (field.take === 'count') return 'bigint';
  if (field.take === 'exists') return 'boolean';
  return COLUMN_TYPES[field.type ?? 'string'];
}

/** The fields of the rows at a path (`items`, `page.items`); without a path, the top-level fields. */
function rowFields(schema: ParserSchema, rows: string | undefined): Fields | undefined {
  if (rows === undefined) return schema.fields;
  let fields: Fields = schema.fields;
  const names = rows.split('.');
  for (const [index, name] of names.entries()) {
    const written = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const field = written === undefined ? undefined : asObject(written);
    if (field?.fields === undefined) return undefined;
    const isLast = index === names.length - 1;
    // Only the last step may be a list: nested lists would need two row numbers.
    if (isListField(field) !== isLast) return undefined;
    fields = field.fields;
  }
  return fields;
}

/**
 * Columns of the rows that a sink writes: one per top-level field (two for money and ratings), or per field of the list named by `rows` (`items`,
 * `page.items`). Undefined when there is no such list of objects.
 */
export function outputColumns(schema: ParserSchema, rows?: string): OutputColumn[] | undefined {
  const fields = rowFields(schema, rows);
  if (fields === undefined) return undefined;
  return Object.entries(fields).flatMap(([name, written]) => {
    const field = asObject(written);
    const column = { name, type: columnType(field), nullable: isNullable(field), key: field.key === true };
    const second = field.type === undefined ? undefined : SECOND_COLUMNS[field.type];
    if (second === undefined || column.type === 'jsonb') return [column];
    const isMoney = field.type === 'money';
    const other: OutputColumn = {
      name: `${name}_${second}`,
      type: isMoney ? 'text' : 'double precision',
      nullable: true,
      key: false,
    };
    return [
      { ...column, path: `${name}.${isMoney ? 'amount' : 'value'}` },
      { ...other, path: `${name}.${second}` },
    ];
  });
}

/** Names of the fields marked `key`, of the top level or of the list named by `rows`. */
export function keyFields(schema: ParserSchema, rows?: string): string[] {
  return (outputColumns(schema, rows) ?? []).filter(({ key }) => key).map(({ name }) => name);
}
