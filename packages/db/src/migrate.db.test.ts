import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { engineSchemaOf, readFunctions } from './engine/engine-schema.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS_FOLDER, readMigrations } from './migrations.ts';
import { createTestDatabase } from './testing/index.ts';

const { db, url, close } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'gleaner-migrations-'));
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

let added = 0;

/** A folder with all migrations and one more, as the next version would have it. */
async function withMigration(text: string): Promise<string> {
  const copy = join(folder, `${(added += 1)}`);
  await cp(MIGRATIONS_FOLDER, copy, { recursive: true });
  const file = join(copy, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: object[] };
  const tag = `9999_test_${added}`;
  journal.entries.push({ idx: 9999, version: '7', when: 2_000_000_000_000 + added, tag, breakpoints: true });
  await writeFile(file, JSON.stringify(journal));
  await writeFile(join(copy, `${tag}.sql`), text);
  return copy;
}

it('a migration waits for a long transaction, and others of its tables wait for neither for long', async () => {
  const migrationsFolder = await withMigration('ALTER TABLE gleaner.accounts ADD COLUMN added integer');
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  // As pg_dump does.
  const dump = db.sql.begin(async (tx) => {
    await tx`LOCK TABLE gleaner.accounts IN ACCESS SHARE MODE`;
    begin();
    await isOver;
  });
  await hasBegun;
  let isMigrated = false;
  const migrated = migrate(url, { migrationsFolder, lockMs: 300, pauseMs: 100 }).then(() => {
    isMigrated = true;
  });
  const countWaiting = async (): Promise<number> => {
    const waiting = await db.sql`
      SELECT 1 FROM pg_locks WHERE relation = 'gleaner.accounts'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`;
    return waiting.length;
  };
  // Each try is seen to wait, and what comes behind it gets through while the dump goes on.
  for (let seen = 0; seen < 3; seen += 1) {
    await expect.poll(countWaiting, { interval: 10 }).toBe(1);
    await db.sql`SELECT count(*) FROM gleaner.accounts`;
  }
  expect(isMigrated).toBe(false);
  end();
  await dump;
  await migrated;
  expect(await db.sql`SELECT added FROM gleaner.accounts`).toEqual([]);
});

it('new functions do not wait for a long transaction', async () => {
  const functions = `${readFunctions()}\n-- the next version`;
  await db.sql.begin(async (tx) => {
    await tx`LOCK TABLE gleaner.accounts, gleaner.runs, gleaner.chunks IN ACCESS SHARE MODE`;
    await migrate(url, { functions });
  });
  expect(await db.sql`SELECT to_regnamespace(${engineSchemaOf(functions)}) IS NOT NULL AS exist`).toEqual([
    { exist: true },
  ]);
});

it('a migration outside a transaction begins again after a failure', async () => {
  const index = 'CREATE INDEX CONCURRENTLY test_hosts ON gleaner.workers (host)';
  const statements = [
    '-- outside a transaction\nDROP INDEX CONCURRENTLY IF EXISTS gleaner.test_hosts',
    index,
    'SELECT 1 / (SELECT count(*) FROM gleaner.workers)',
  ];
  const migrationsFolder = await withMigration(statements.join('\n--> statement-breakpoint\n'));
  await expect(migrate(url, { migrationsFolder })).rejects.toThrow(/division by zero/);
  await db.sql`INSERT INTO gleaner.workers (id, engines, pid, host) VALUES ('wrk_a', '{}', 1, 'here')`;
  await migrate(url, { migrationsFolder });
  const [row] =
    await db.sql`SELECT indisvalid FROM pg_index WHERE indexrelid = 'gleaner.test_hosts'::regclass`;
  expect(row).toEqual({ indisvalid: true });
  await migrate(url, { migrationsFolder });
});

it('a migration that another branch numbered lower is applied when it arrives', async () => {
  const [latest] = await db.sql`SELECT max(created_at)::text AS at FROM gleaner.migrations`;
  await db.sql`INSERT INTO gleaner.migrations (hash, created_at) VALUES ('', ${Number(latest?.at) + 1_000})`;
  const migrationsFolder = await withMigration('CREATE TABLE gleaner.late (id integer)');
  await migrate(url, { migrationsFolder });
  expect(await db.sql`SELECT * FROM gleaner.late`).toEqual([]);
});

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

it('functions of earlier versions let what a stage may charge grow with its tasks (0171)', async () => {
  const functions = `
    CREATE FUNCTION engine.take_chunks() RETURNS void LANGUAGE sql AS '';
    CREATE FUNCTION engine.grow_run(p_no bigint, p_count integer, p_budget integer) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE gleaner.runs r SET total = r.total + p_count, budget = r.budget + p_budget,
        reserved = r.reserved + r.price::bigint * p_budget
      WHERE r.no = p_no;
    END
    $$;`;
  await migrate(url, { functions });
  const earlier = engineSchemaOf(functions);
  const { statements: [statement = ''] = [] } =
    readMigrations().find(({ tag }) => tag === '0171_earlier_bounds') ?? {};
  await db.sql.unsafe(statement);
  for (const [no, maxCredits] of [
    [1, 10],
    [2, null],
  ] as const) {
    await db.sql`INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price,
        max_credits, budget, total, last_served, reserved)
      VALUES (${`run_${no}`}, ${no}, 'acc', 'stage', 'running', 'return', 'batch-http', '{}', '{}', 0, 5, ${maxCredits}, 2, 4, 0, 10)`;
    await db.sql`SELECT ${db.sql(earlier)}.grow_run(${no}, 3, 3)`;
  }
  expect(
    await db.sql`SELECT max_credits::int, budget, total, reserved::int FROM gleaner.runs ORDER BY no`,
  ).toEqual([
    { max_credits: 25, budget: 5, total: 7, reserved: 25 },
    { max_credits: null, budget: 5, total: 7, reserved: 25 },
  ]);
});
