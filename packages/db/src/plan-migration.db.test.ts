import { afterAll, expect, it } from 'vitest';
import { ENGINE } from './engine/engine-schema.ts';
import { planMigration, planStatement } from './plan-migration.ts';
import { createTestDatabase } from './testing/index.ts';

const { db, url, close } = await createTestDatabase();
afterAll(close);

it('a plan names what is missing, what it blocks, and changes nothing', async () => {
  expect(await planMigration(url)).toMatchObject({ migrations: [], functions: null });
  await db.sql`DELETE FROM gleaner.migrations WHERE created_at = 1763703000000`;
  await db.sql`DROP SCHEMA ${db.sql(ENGINE)} CASCADE`;
  const plan = await planMigration(url);
  expect(plan.functions).toBe(ENGINE);
  expect(plan.migrations.map(({ tag }) => tag)).toEqual(['0030_engine_versions']);
  const blocked = plan.migrations[0]?.statements.filter(({ blocks }) => blocks !== 'nothing');
  expect(blocked).toContainEqual({
    text: 'CREATE TRIGGER accounts_mark_changed AFTER UPDATE OF concurrency, is_active ON gleaner.accounts',
    table: 'gleaner.accounts',
    blocks: 'writes',
    heldMs: 10,
  });
  expect(await db.sql`SELECT to_regnamespace(${ENGINE}) AS schema`).toEqual([{ schema: null }]);
});

it.each([
  ['CREATE INDEX a ON gleaner.runs (id)', 'writes', 2_010],
  ['CREATE INDEX CONCURRENTLY a ON gleaner.runs (id)', 'nothing', 0],
  ['CREATE INDEX a ON gleaner.later (id)', 'nothing', 0],
  ['ALTER TABLE gleaner.runs ADD COLUMN a int', 'everything', 10],
  ['-- why\nALTER TABLE gleaner.runs ALTER COLUMN a TYPE text', 'everything', 2_010],
  ['UPDATE gleaner.runs SET a = 1', 'writes', 2_010],
])('estimates how long it blocks: %s', (statement, blocks, heldMs) => {
  const sizeOf = (table: string) => (table === 'gleaner.runs' ? 100_000_000 : undefined);
  expect(planStatement(statement, sizeOf)).toMatchObject({ blocks, heldMs });
});
