import { quoteLiteral, quoteTable, type SqlRunner } from './sql-text.ts';

/** A comment on the table. Dumps and renames keep it, and the table's owner can see it. */
const MARK = 'Made by Gleaner for a sink. DELETE /v1/databases/{id}/tables/{table} may drop it.';

interface TableName {
  schema: string;
  table: string;
}

/** Marks a table as created by a sink, in the transaction that creates it. */
export function markText({ schema, table }: TableName): string {
  return `COMMENT ON TABLE ${quoteTable(schema, table)} IS ${quoteLiteral(MARK)}`;
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
