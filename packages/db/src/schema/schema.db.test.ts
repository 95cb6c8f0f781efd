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
function names(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

function describeColumn(column: PgColumn): string {
  const parts = [`"${column.name}"`, column.getSQLType()];
  if (column.notNull) parts.push('NOT NULL');
  if (column.primary) parts.push('PRIMARY KEY');
  if (column.isUnique) parts.push('UNIQUE');
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

type TableConfig = (typeof configs)[number];

/** The statements that create a table as Drizzle describes it. */
function describeTable(config: TableConfig): string[] {
  const lines = config.columns.map(describeColumn);
  for (const key of config.primaryKeys) lines.push(`PRIMARY KEY (${names(key.columns)})`);
  for (const unique of config.uniqueConstraints) lines.push(`UNIQUE (${names(unique.columns)})`);
  const indexes = config.indexes.map(({ config: index }) => {
    const columns = index.columns.map((column) => {
      if (is(column, SQL)) return `(${toText(column)})`;
      if (!('indexConfig' in column)) throw new Error(`${index.name ?? ''} has an unknown column`);
      return `"${column.name}" ${column.indexConfig?.order} NULLS ${column.indexConfig?.nulls}`;
    });
    const where = index.where ? ` WHERE ${toText(index.where)}` : '';
    return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${index.name ?? ''} ON ${DESCRIBED}.${config.name}
      USING ${index.method ?? 'btree'} (${columns.join(', ')})${where}`;
  });
  return [`CREATE TABLE ${DESCRIBED}.${config.name} (${lines.join(', ')})`, ...indexes];
}

function describeForeignKeys(config: TableConfig): string[] {
  return config.foreignKeys.map((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference();
    return `ALTER TABLE ${DESCRIBED}.${config.name} ADD FOREIGN KEY (${names(columns)})
      REFERENCES ${DESCRIBED}.${getTableConfig(foreignTable).name} (${names(foreignColumns)})
      ON DELETE ${key.onDelete ?? 'no action'} ON UPDATE ${key.onUpdate ?? 'no action'}`;
  });
}

/** One line for each table, column, key and index of a schema. Partitions and Drizzle's own table are left out. */
async function readCatalog(name: string): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    WITH tables AS (
      SELECT c.oid, c.relname FROM pg_class c
      WHERE c.relnamespace = ${name}::text::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> 'migrations'
    )
    SELECT 'table ' || t.relname AS line FROM tables t
    UNION ALL
    SELECT concat_ws(' ', 'column', t.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attnotnull THEN 'not null' END, 'default ' || pg_get_expr(d.adbin, d.adrelid),
      'identity ' || nullif(a.attidentity::text, ''))
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
    UNION ALL
    SELECT concat_ws(' ', 'key of', t.relname, pg_get_constraintdef(k.oid))
    FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype IN ('p', 'u', 'f')
    UNION ALL
    SELECT pg_get_indexdef(i.indexrelid)
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid
    WHERE NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))`;
  return rows.map(({ line }) => line.replaceAll(`${name}.`, '').replaceAll(' ON ONLY ', ' ON ')).toSorted();
}

it('Drizzle describes the tables that the migrations make', async () => {
  const statements = [...configs.flatMap(describeTable), ...configs.flatMap(describeForeignKeys)];
  await sql.unsafe(`CREATE SCHEMA ${DESCRIBED}`);
  for (const statement of statements) await sql.unsafe(statement);
  const migrated = await readCatalog('gleaner');
  expect(migrated.length).toBeGreaterThan(100);
  expect(await readCatalog(DESCRIBED)).toEqual(migrated);
});
