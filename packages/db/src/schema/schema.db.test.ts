import { is, SQL } from 'drizzle-orm';
import { getTableConfig, PgDialect, PgTable, type PgColumn } from 'drizzle-orm/pg-core';
import { afterAll, expect, it } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import * as schema from './index.ts';

const database = await createTestDatabase();
const { sql } = database.db;
afterAll(database.close);

const dialect = new PgDialect();
const configs = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table));

/** Where the tables are created that Drizzle describes, so that Postgres itself normalises both descriptions. */
const DESCRIBED = 'described';

function toLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
function toText(value: SQL): string {
  const query = dialect.sqlToQuery(value);
  if (query.params.length > 0) throw new Error(`a default or condition with parameters: ${query.sql}`);
  return query.sql;
}

function describeColumn(column: PgColumn): string {
  const parts = [`"${column.name}"`, column.getSQLType()];
  if (column.notNull) parts.push('NOT NULL');
  if (column.generatedIdentity) {
    parts.push(
      `GENERATED ${column.generatedIdentity.type === 'always' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`,
    );
  }
  if (column.generated) {
    if (!is(column.generated.as, SQL)) throw new Error(`${column.name}: its expression is no SQL`);
    parts.push(`GENERATED ALWAYS AS (${toText(column.generated.as)}) STORED`);
  }
  if (column.hasDefault && column.default !== undefined) {
    parts.push(`DEFAULT ${is(column.default, SQL) ? toText(column.default) : toLiteral(column.default)}`);
  }
  return parts.join(' ');
}

/** One line for each column of the described tables. */
async function readColumns(name: string): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    SELECT concat_ws(' ', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attnotnull THEN 'not null' END, 'default ' || pg_get_expr(d.adbin, d.adrelid),
      'identity ' || nullif(a.attidentity::text, '')) AS line
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = ${name}::text::regnamespace AND c.relname = ANY (${configs.map((table) => table.name)})`;
  return rows.map(({ line }) => line).toSorted();
}

it('Drizzle describes the columns that the migrations make', async () => {
  await sql.unsafe(`CREATE SCHEMA ${DESCRIBED}`);
  for (const { name, columns } of configs)
    await sql.unsafe(`CREATE TABLE ${DESCRIBED}.${name} (${columns.map(describeColumn).join(', ')})`);
  const migrated = await readColumns('gleaner');
  expect(migrated.length).toBeGreaterThan(100);
  expect(await readColumns(DESCRIBED)).toEqual(migrated);
});
