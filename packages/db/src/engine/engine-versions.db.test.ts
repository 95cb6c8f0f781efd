import { afterAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import { createTestDatabase } from '../testing/index.ts';
import { dropUnusedEngines } from './drop-unused-engines.ts';
import { engineSchemaOf, readFunctions } from './engine-schema.ts';

const database = await createTestDatabase();
const now = database.db;
const opened: Database[] = [];
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  await database.close();
});

const SLOTS = 'CREATE FUNCTION engine.slots_used(p_account text)';

/** The functions as another version has them: slots_used takes one more argument. */
function otherFunctions(mark: string): string {
  const text = readFunctions();
  expect(text).toContain(SLOTS);
  return text
    .replace(SLOTS, 'CREATE FUNCTION engine.slots_used(p_account text, p_more text)')
    .replaceAll(
      /engine\.slots_used\((p_account|v_account|w\.account_id|a\.id|r\.account_id)\)/g,
      "engine.slots_used($1, '')",
    )
    .concat(`\n-- ${mark}\n`);
}

async function startVersion(mark: string): Promise<Database> {
  const functions = otherFunctions(mark);
  await migrate(database.url, { functions });
  const db = createDatabase(database.url, { max: 2, engine: engineSchemaOf(functions) });
  opened.push(db);
  return db;
}

async function beat(db: Database, id: string): Promise<void> {
  await db.sql`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid) VALUES (${id}, 'api', '1', ${db.engine}, '', 1)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()`;
}

async function listEngines(): Promise<string[]> {
  const rows = await now.sql<{ name: string }[]>`
    SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'engine%' ORDER BY 1`;
  return rows.map(({ name }) => name);
}

it('processes of two versions call their own functions, also in transactions and savepoints', async () => {
  const next = await startVersion('next');
  const [one] = await now.sql`SELECT engine.slots_used('acc_none') AS slots`;
  const [other] = await next.sql`SELECT engine.slots_used('acc_none', '') AS slots`;
  expect([one, other]).toEqual([{ slots: 0 }, { slots: 0 }]);
  await expect(next.sql`SELECT engine.slots_used('acc_none')`).rejects.toThrow(/does not exist/);
  await next.sql.begin(async (tx) => {
    expect(await tx`SELECT (engine.worker_notice('x')).notice`).toEqual([{ notice: 'x' }]);
    await tx.savepoint(async (inner) => {
      expect(await inner.unsafe("SELECT engine.slots_used('acc_none', '') AS slots")).toEqual([{ slots: 0 }]);
    });
  });
  await next.orm.transaction(async (tx) => {
    await tx.transaction(async (inner) => {
      expect(await inner.execute("SELECT engine.slots_used('acc_none', '') AS slots")).toEqual([
        { slots: 0 },
      ]);
    });
  });
  const [both] = await next.sql`
    SELECT count(*)::int AS triggers FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname LIKE 'engine%'`;
  // Nothing of the tables depends on a version.
  expect(both).toEqual({ triggers: 0 });
});

it('values, and quoted names of accounts, are left as they are', async () => {
  const text = 'engine.x';
  const rows = await now.sql`
    SELECT ${text}::text AS value, 'my engine.x' AS word, "engine"."engine.y" AS name
    FROM (VALUES (1)) "engine" ("engine.y")`;
  expect(rows).toEqual([{ value: text, word: expect.stringMatching(/^my engine/) as string, name: 1 }]);
});

it('functions are dropped when no process has used them for an hour, and not while one does', async () => {
  const before = await startVersion('before');
  await beat(before, 'prc_before');
  await migrate(database.url);
  await beat(now, 'prc_now');
  const later = await startVersion('later');
  await now.sql`UPDATE gleaner.processes SET seen_at = now() - interval '50 minutes' WHERE id = 'prc_before'`;
  await dropUnusedEngines(now);
  // The one of the first test had no process; the later one may be about to start.
  expect(await listEngines()).toEqual([before.engine, now.engine, later.engine].toSorted());
  await now.sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours' WHERE id = 'prc_before'`;
  expect(await dropUnusedEngines(now)).toEqual([before.engine]);
  // A process that was stopped meanwhile learns of it, and cannot go on.
  await expect(beat(before, 'prc_before_2')).rejects.toThrow(/foreign key/);
  expect(await dropUnusedEngines(later)).toEqual([]);
  await now.sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours'`;
  expect(await dropUnusedEngines(later)).toEqual([now.engine]);
  expect(await listEngines()).toEqual([later.engine]);
  // Back to the version before: its functions are installed again, and it is the last one now.
  await migrate(database.url);
  expect(await now.sql`SELECT engine.slots_used('acc_none') AS slots`).toEqual([{ slots: 0 }]);
  expect(await dropUnusedEngines(later)).toEqual([]);
});

it('functions that a process begins to use are not dropped', async () => {
  const former = await startVersion('former');
  await migrate(database.url);
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const starting = former.sql.begin(async (tx) => {
    await tx`INSERT INTO gleaner.processes (id, kind, version, engine, host, pid)
      VALUES ('prc_former', 'api', '1', ${former.engine}, '', 1)`;
    begun();
    await mayEnd;
  });
  await Promise.race([hasBegun, starting]);
  expect(await dropUnusedEngines(now)).not.toContain(former.engine);
  end();
  await starting;
  expect(await dropUnusedEngines(now)).not.toContain(former.engine);
});
