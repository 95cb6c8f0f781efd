import { toStorableText, toStorableValue } from '@gleaner/contracts';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as schema from './schema/index.ts';
import { createTestDatabase, type TestDatabase } from './testing/index.ts';

const HOSTILE = fc.sample(
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\0',
          '\uD83D',
          '\uDE00',
          '\u{1F600}',
          '\u0085',
          '\\u0000',
          '"',
          '{',
          ',',
          '\n',
          '__proto__',
        ),
        fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => parts.join('')),
  { numRuns: 12, seed: 1 },
);
/** All hostile texts at once, and a very long one. */
const TEXTS = [...HOSTILE, HOSTILE.join(''), `${'\u{1F600}'.repeat(5_000)}\uD83D`, '__proto__', '\0'];

let opened: TestDatabase;

beforeAll(async () => {
  opened = await createTestDatabase();
  const { db } = opened;
  // Only the types of the columns matter here: constraints, triggers and required columns go, and each partitioned table
  // takes every row.
  await db.sql.unsafe(`
    DO $$
    DECLARE
      v record;
    BEGIN
      FOR v IN SELECT i.relname FROM pg_class i JOIN pg_index x ON x.indexrelid = i.oid
        WHERE i.relnamespace = 'gleaner'::regnamespace AND NOT i.relispartition
          AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.oid) LOOP
        EXECUTE format('DROP INDEX gleaner.%I', v.relname);
      END LOOP;
      FOR v IN SELECT conname, conrelid::regclass AS name FROM pg_constraint
        WHERE connamespace = 'gleaner'::regnamespace AND conparentid = 0 AND contype <> 'n' ORDER BY contype = 'p' LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', v.name, v.conname);
      END LOOP;
      FOR v IN SELECT a.attrelid::regclass AS name, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'gleaner'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND a.attnum > 0 AND a.attnotnull AND a.attidentity = '' LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', v.name, v.attname);
      END LOOP;
      FOR v IN SELECT relname FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
        WHERE c.relnamespace = 'gleaner'::regnamespace LOOP
        EXECUTE format('CREATE TABLE gleaner.%I PARTITION OF gleaner.%I DEFAULT', v.relname || '_all', v.relname);
      END LOOP;
      FOR v IN SELECT tgname, tgrelid::regclass AS name FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0 LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', v.tgname, v.name);
      END LOOP;
    END
    $$`);
});
afterAll(async () => {
  await opened.close();
});

/**
 * A hostile value of a column's type; undefined for a type that holds no text. Columns with lists hold words of the
 * catalogue only.
 */
function hostileOf(type: string, text: string): unknown {
  if (type === 'text') return text;
  if (type === 'json' || type === 'jsonb') return { [text]: [text, { ['__proto__']: text }] };
  return undefined;
}

function storableRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, toStorableValue(value)]));
}

const tables = Object.values(schema).filter((table) => is(table, PgTable));

it.each(tables.map((table) => [getTableName(table), table] as const))(
  'every column of %s that takes text takes any text',
  async (_name, table) => {
    const { db } = opened;
    const columns = Object.entries(getTableColumns(table)).flatMap(([key, column]) => {
      const type = column.getSQLType();
      return hostileOf(type, '') === undefined || column.generated ? [] : [{ key, type }];
    });
    if (columns.length === 0) return;
    const rows = TEXTS.map((text) =>
      Object.fromEntries(columns.map(({ key, type }) => [key, hostileOf(type, text)])),
    );
    const stored = await db.orm.transaction(async (tx) => {
      await tx.delete(table);
      await tx.insert(table).values(rows);
      return tx.select().from(table);
    });
    // Postgres may give the rows in any order.
    const pick = (row: Readonly<Record<string, unknown>>): string =>
      JSON.stringify(columns.map(({ key }) => row[key]));
    const storable = rows.map((row) => pick(storableRow(row)));
    expect(stored.map(pick).toSorted()).toEqual(storable.toSorted());
  },
);

it('every text, list and JSON of a statement is taken', async () => {
  const { db } = opened;
  for (const text of TEXTS) {
    const [row] = await db.sql`SELECT ${text}::text AS text, ${[text, text]}::text[] AS list`;
    expect(row).toEqual({ text: toStorableText(text), list: [toStorableText(text), toStorableText(text)] });
  }
});
