import type { SqlRunner } from './sql-text.ts';

export interface ColumnInfo {
  name: string;
  /** In the notation of format_type: `double precision`, `character varying(20)`. */
  type: string;
  nullable: boolean;
}

export interface TableInfo {
  name: string;
  columns: ColumnInfo[];
  /** The primary key, else the shortest unique index over columns without nulls; empty without one. */
  key: string[];
  /** All sets of columns that a unique index covers. */
  uniques: string[][];
  /** The planner's estimate of the number of rows; -1 when never analyzed. */
  estimatedRows: number;
  /** False for another's table in an external database. */
  mayRead: boolean;
}

/** Tables of a schema with columns and unique indexes, in one query. Views and partitions are left out. */
const TABLES_QUERY = `
  SELECT c.relname AS name, c.reltuples::float8 AS estimated_rows, has_table_privilege(c.oid, 'SELECT') AS may_read,
    (SELECT coalesce(json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull) ORDER BY a.attnum), '[]')
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::text AS columns,
    (SELECT coalesce(json_agg(json_build_object('primary', i.indisprimary, 'columns', (
        SELECT json_agg(a.attname ORDER BY k.position)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, position)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE k.position <= i.indnkeyatts)) ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid), '[]')
      FROM pg_index i
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
        AND i.indpred IS NULL AND i.indexprs IS NULL)::text AS uniques
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND ($2::text IS NULL OR c.relname = $2) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname LIMIT 1000`;

interface TableRow {
  name: string;
  estimated_rows: number;
  may_read: boolean;
  columns: string;
  uniques: string;
}

function readColumns(text: string): ColumnInfo[] {
  return JSON.parse(text) as ColumnInfo[];
}

function readUniques(text: string): { columns: string[] }[] {
  return JSON.parse(text) as { columns: string[] }[];
}

function toTableInfo(row: TableRow): TableInfo {
  const columns = readColumns(row.columns);
  const uniques = readUniques(row.uniques).map((index) => index.columns);
  const neverNull = new Set(columns.filter((column) => !column.nullable).map((column) => column.name));
  return {
    name: row.name,
    columns,
    uniques,
    key: uniques.find((names) => names.every((name) => neverNull.has(name))) ?? [],
    estimatedRows: row.estimated_rows,
    mayRead: row.may_read,
  };
}

/** Tables of a schema in the order of their names, at most 1,000. */
export async function listTables(sql: SqlRunner, schema: string): Promise<TableInfo[]> {
  const rows = await sql.unsafe<TableRow[]>(TABLES_QUERY, [schema, null]);
  return rows.map(toTableInfo);
}

export async function readTable(
  sql: SqlRunner,
  schema: string,
  table: string,
): Promise<TableInfo | undefined> {
  const [row] = await sql.unsafe<TableRow[]>(TABLES_QUERY, [schema, table]);
  return row && toTableInfo(row);
}
