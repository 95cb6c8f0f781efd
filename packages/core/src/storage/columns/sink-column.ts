import { COLUMN_TYPES, type ColumnType, type META_COLUMNS } from '@gleaner/contracts';

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
