import type { Statement } from '../external/foreign-transaction.ts';
import type { SqlRunner } from './sql-text.ts';

export interface ColumnInfo {
  name: string;
  /** In the notation of format_type: `double precision`, `character varying(20)`. */
  type: string;
  nullable: boolean;
  /** Postgres makes its values and takes no other. */
  isMade: boolean;
  /** A row without a value for it is refused. */
  isRequired: boolean;
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
  /** False for a view, a partition or another relation, whose rows sinks don't write. */
  isTable: boolean;
}

const TABLES = "c.relkind IN ('r', 'p') AND NOT c.relispartition";

/** Tables of the schema $1 with columns and unique indexes, in one query. */
function tablesQuery(condition: string): string {
  return `
  SELECT c.relname AS name, c.reltuples::float8 AS "estimatedRows", has_table_privilege(c.oid, 'SELECT') AS "mayRead", ${TABLES} AS "isTable",
    (SELECT coalesce(json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull,
        'isMade', a.attgenerated <> '' OR a.attidentity = 'a', 'isRequired', (a.attnotnull OR t.typnotnull)
          AND NOT a.atthasdef AND a.attidentity = '' AND t.typdefault IS NULL) ORDER BY a.attnum), '[]')
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::text AS columns,
    (SELECT coalesce(json_agg(json_build_object('primary', i.indisprimary, 'columns', (
        SELECT json_agg(a.attname ORDER BY k.position)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, position)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE k.position <= i.indnkeyatts)) ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid), '[]')
      FROM pg_index i
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
        AND i.indpred IS NULL AND i.indexprs IS NULL)::text AS uniques
  FROM pg_class c
  WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1) AND ${condition}
  ORDER BY c.relname LIMIT 1000`;
}
/** Tables of ours are no tables of the account. */
const ALL_TABLES = tablesQuery(String.raw`${TABLES} AND c.relname NOT LIKE '\_gleaner\_%'`);
const ONE_TABLE = tablesQuery('c.relname = $2');

interface TableRow extends Pick<TableInfo, 'name' | 'estimatedRows' | 'mayRead' | 'isTable'> {
  /** JSON texts. */
  columns: string;
  uniques: string;
}

function toTableInfo(row: TableRow): TableInfo {
  const columns = JSON.parse(row.columns) as ColumnInfo[];
  const uniques = (JSON.parse(row.uniques) as { columns: string[] }[]).map((index) => index.columns);
  const neverNull = new Set(columns.filter((column) => !column.nullable).map((column) => column.name));
  const key = uniques.find((names) => names.every((name) => neverNull.has(name))) ?? [];
  return { ...row, columns, uniques, key };
}

/** Tables of a schema in the order of their names, at most 1,000. */
export async function listTables(sql: SqlRunner, schema: string): Promise<TableInfo[]> {
  const rows = await sql.unsafe<TableRow[]>(ALL_TABLES, [schema]);
  return rows.map(toTableInfo);
}

/** A table; undefined without one, and for another relation of this name. */
export async function readTable(
  sql: SqlRunner,
  schema: string,
  name: string,
): Promise<TableInfo | undefined> {
  const { table } = await readTableState(sql, schema, name);
  return table?.isTable === true ? table : undefined;
}

/** A table or another relation, and a statement that checks that it still is in this state. */
export async function readTableState(
  sql: SqlRunner,
  schema: string,
  table: string,
): Promise<{ table: TableInfo | undefined; state: Statement }> {
  // Prepared, because each run with a sink asks this: it costs Postgres more to plan than to answer.
  const rows = await sql.unsafe<TableRow[]>(ONE_TABLE, [schema, table], { prepare: true });
  const [row] = rows;
  return {
    table: row && toTableInfo(row),
    state: { text: ONE_TABLE, parameters: [schema, table], expected: JSON.stringify(rows) },
  };
}

/** A comment on the table. Dumps and renames keep it, and the table's owner can see it. */
export const MARK = 'Made by Gleaner for a sink. DELETE /v1/databases/{id}/tables/{table} may drop it.';

interface TableName {
  schema: string;
  table: string;
}

/** Whether the table has the mark of a sink. */
export async function isMarked(sql: SqlRunner, { schema, table }: TableName): Promise<boolean> {
  const rows = await sql.unsafe(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2 AND obj_description(c.oid, 'pg_class') = $3`,
    [schema, table, MARK],
  );
  return rows.length > 0;
}
