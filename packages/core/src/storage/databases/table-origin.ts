import { quoteLiteral, quoteTable, type SqlRunner } from './sql-text.ts';

/** Kept by dumps and renames, gone with the table, and seen by its owner: nobody takes such a table for their own. */
const MARK = 'Made by Gleaner for a sink. DELETE /v1/databases/{id}/tables/{table} may drop it.';

interface TableName {
  schema: string;
  table: string;
}

/** Records that a table was made here, not by its database's owner; in the transaction that makes it. */
export async function markOrigin(tx: SqlRunner, { schema, table }: TableName): Promise<void> {
  await tx.unsafe(`COMMENT ON TABLE ${quoteTable(schema, table)} IS ${quoteLiteral(MARK)}`);
}

/** Whether a sink made the table, as far as its mark was left on it. */
export async function isMarked(sql: SqlRunner, { schema, table }: TableName): Promise<boolean> {
  const rows = await sql.unsafe(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2 AND obj_description(c.oid, 'pg_class') = $3`,
    [schema, table, MARK],
  );
  return rows.length > 0;
}
