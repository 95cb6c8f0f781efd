import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { migrate } from './migrate.ts';
import { createTestDatabase } from './testing/index.ts';

const { db, url, close } = await createTestDatabase();
afterAll(close);

it('a migration waits for a long transaction, and others of its tables wait for neither for long', async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  // As pg_dump does.
  const dump = db.sql.begin(async (tx) => {
    await tx`LOCK TABLE gleaner.accounts IN ACCESS SHARE MODE`;
    begin();
    await isOver;
  });
  await hasBegun;
  // As if this version had other functions: replacing them also replaces a trigger of the table.
  await db.sql`UPDATE gleaner.settings SET value = 'older' WHERE name = 'functions'`;
  let isMigrated = false;
  const migrated = migrate(url).then(() => {
    isMigrated = true;
  });
  const waits: number[] = [];
  const until = performance.now() + 8_000;
  while (performance.now() < until) {
    const from = performance.now();
    await db.sql`SELECT count(*) FROM gleaner.accounts`;
    waits.push(performance.now() - from);
    await delay(50);
  }
  expect(isMigrated).toBe(false);
  // Somebody did wait: the migration had tried.
  expect(Math.max(...waits)).toBeGreaterThan(500);
  expect(Math.max(...waits)).toBeLessThan(4_000);
  end();
  await dump;
  await migrated;
  const [row] = await db.sql`SELECT value <> 'older' AS is_new, engine.slots_used('acc_none') AS slots
    FROM gleaner.settings WHERE name = 'functions'`;
  expect(row).toEqual({ is_new: true, slots: 0 });
}, 60_000);

it('work in a session has its settings to itself', async () => {
  const limit = () =>
    db.withSession(async (session) => {
      const [before] = await session<{ lock_timeout: string }[]>`SHOW lock_timeout`;
      await session`SET lock_timeout = '7s'`;
      const [after] = await session<{ lock_timeout: string }[]>`SHOW lock_timeout`;
      return [before?.lock_timeout, after?.lock_timeout];
    });
  expect(await limit()).toEqual(['0', '7s']);
  expect(await limit()).toEqual(['0', '7s']);
});
