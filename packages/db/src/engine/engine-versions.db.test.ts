import { sql as query } from 'drizzle-orm';
import { afterAll, expect, it } from 'vitest';
import type { Sql } from '../database.ts';
import { migrate } from '../migrate.ts';
import { createTestDatabase } from '../testing/index.ts';
import { dropUnusedEngines } from './drop-unused-engines.ts';
import { ENGINE, engineSchemaOf, readFunctions } from './engine-schema.ts';

const database = await createTestDatabase();
const { sql, orm } = database.db;
afterAll(database.close);

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

/** Installs another version. @returns its schema */
async function installVersion(mark: string): Promise<string> {
  const functions = otherFunctions(mark);
  await migrate(database.url, { functions });
  return engineSchemaOf(functions);
}

async function beat(tx: Sql, engine: string, id: string): Promise<void> {
  await tx`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid) VALUES (${id}, 'api', '1', ${engine}, '', 1)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()`;
}

async function listEngines(): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'engine%' ORDER BY 1`;
  return rows.map(({ name }) => name);
}

it('functions of two versions are called side by side, by statements of both clients', async () => {
  const next = await installVersion('next');
  const [one] = await sql`SELECT ${sql(ENGINE)}.slots_used('acc_none') AS slots`;
  const [other] = await sql`SELECT ${sql(next)}.slots_used('acc_none', '') AS slots`;
  expect([one, other]).toEqual([{ slots: 0 }, { slots: 0 }]);
  await expect(sql`SELECT ${sql(next)}.slots_used('acc_none')`).rejects.toThrow(/does not exist/);
  await orm.transaction(async (tx) => {
    expect(
      await tx.execute(query`SELECT ${query.identifier(next)}.slots_used('acc_none', '') AS slots`),
    ).toEqual([{ slots: 0 }]);
  });
  const [both] = await sql`
    SELECT count(*)::int AS triggers FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname LIKE 'engine%'`;
  // Nothing of the tables depends on a version.
  expect(both).toEqual({ triggers: 0 });
});

it('functions are dropped when no process has used them for an hour, and not while one does', async () => {
  const before = await installVersion('before');
  await beat(sql, before, 'prc_before');
  await migrate(database.url);
  await beat(sql, ENGINE, 'prc_now');
  const later = await installVersion('later');
  await sql`UPDATE gleaner.processes SET seen_at = now() - interval '50 minutes' WHERE id = 'prc_before'`;
  await dropUnusedEngines(sql);
  // The one of the first test had no process; the later one may be about to start.
  expect(await listEngines()).toEqual([before, ENGINE, later].toSorted());
  await sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours' WHERE id = 'prc_before'`;
  expect(await dropUnusedEngines(sql)).toEqual([before]);
  // A process that was stopped meanwhile learns of it, and cannot go on.
  await expect(beat(sql, before, 'prc_before_2')).rejects.toThrow(/foreign key/);
  expect(await dropUnusedEngines(sql, later)).toEqual([]);
  await sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours'`;
  expect(await dropUnusedEngines(sql, later)).toEqual([ENGINE]);
  expect(await listEngines()).toEqual([later]);
  // Back to the version before: its functions are installed again, and it is the last one now.
  await migrate(database.url);
  expect(await sql`SELECT ${sql(ENGINE)}.slots_used('acc_none') AS slots`).toEqual([{ slots: 0 }]);
  expect(await dropUnusedEngines(sql, later)).toEqual([]);
});

it('functions that a process begins to use are not dropped', async () => {
  const former = await installVersion('former');
  await migrate(database.url);
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const starting = sql.begin(async (tx) => {
    await tx`INSERT INTO gleaner.processes (id, kind, version, engine, host, pid)
      VALUES ('prc_former', 'api', '1', ${former}, '', 1)`;
    begun();
    await mayEnd;
  });
  await Promise.race([hasBegun, starting]);
  expect(await dropUnusedEngines(sql)).not.toContain(former);
  end();
  await starting;
  expect(await dropUnusedEngines(sql)).not.toContain(former);
});
